// @ts-check
/** The balance of an account after each of its transfers. Values in, values out. */

/**
 * @param {readonly import("../staff_types.d.ts").Transfer[]} transfers all of the account's, newest first, without a gap
 * @param {string} account
 * @param {number} latest the balance after the first of them
 * @returns {Map<string, number>} by transfer
 */
export function runningBalances(transfers, account, latest) {
  /** @type {Map<string, number>} */
  const after = new Map();
  let balance = latest;
  for (const { id, amount, debit, credit } of transfers) {
    after.set(id, balance);
    if (credit.account === account) balance -= amount;
    if (debit.account === account) balance += amount;
  }
  return after;
}
