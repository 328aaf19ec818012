// Reads an AsyncAPI document with the parser that its tools use, and fails with whatever that has to say.

import { readFileSync } from "node:fs";

import { Parser } from "@asyncapi/parser";

const { document, diagnostics } = await new Parser().parse(readFileSync(process.argv[2], "utf8"));
const wrong = diagnostics.filter(({ severity }) => severity === 0);
for (const { message, path } of wrong) console.error(`${path.join(".")}: ${message}`);
if (wrong.length > 0 || !document) process.exit(1);
console.log(`valid: ${document.allOperations().length} operations, ${document.allMessages().length} messages`);
