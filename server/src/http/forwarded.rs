//! Who is at the other end, where proxies stand between.

use std::{
    net::{IpAddr, SocketAddr},
    sync::Arc,
};

use axum::http::{HeaderMap, HeaderName};
use ipnet::IpNet;

/// The one header that is read. Each proxy adds at its end the address that it was asked from.
const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// The proxies whose word on where a request came from is taken. Nobody else's is.
#[derive(Clone, Debug)]
pub struct TrustedProxies(Arc<[IpNet]>);

impl TrustedProxies {
    /// Those with an address in one of these networks.
    pub fn new(networks: &[IpNet]) -> Self {
        Self(networks.into())
    }

    /// The address that a request came from: that of the connection, unless a trusted proxy is there. What it and
    /// every further trusted proxy added is read from the end; the first address that is none of theirs is who asked.
    /// What stands before that was said by a stranger.
    pub fn client(&self, connection: IpAddr, headers: &HeaderMap) -> IpAddr {
        let mut client = connection.to_canonical();
        let lines = headers.get_all(FORWARDED_FOR).iter().rev();
        let mut hops = lines.flat_map(|line| line.to_str().unwrap_or_default().rsplit(','));
        while self.trusts(client) {
            match hops.next().and_then(address) {
                Some(hop) => client = hop,
                // The proxy says nothing, or nothing that could be an address: then it is all that is known.
                None => break,
            }
        }
        client
    }

    fn trusts(&self, address: IpAddr) -> bool {
        self.0.iter().any(|network| network.contains(&address))
    }
}

/// An address as proxies write it: alone, or with a port.
fn address(hop: &str) -> Option<IpAddr> {
    let hop = hop.trim();
    let alone = hop.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(hop);
    let parsed = alone.parse().or_else(|_| hop.parse().map(|with_port: SocketAddr| with_port.ip()));
    parsed.ok().map(|address: IpAddr| address.to_canonical())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(trusted: &[&str], connection: &str, lines: &[&str]) -> String {
        let networks: Vec<IpNet> = trusted.iter().map(|network| network.parse().expect("a network")).collect();
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(FORWARDED_FOR, line.parse().expect("a header"));
        }
        TrustedProxies::new(&networks).client(connection.parse().expect("an address"), &headers).to_string()
    }

    #[test]
    fn a_stranger_is_who_connects_whatever_they_say_of_themselves() {
        assert_eq!(client(&[], "203.0.113.9", &["198.51.100.1"]), "203.0.113.9");
        assert_eq!(client(&["10.0.0.0/8"], "203.0.113.9", &["198.51.100.1, 10.0.0.1"]), "203.0.113.9");
    }

    #[test]
    fn a_trusted_proxy_is_believed_on_its_last_word_only() {
        let proxy = ["10.0.0.1/32"];
        assert_eq!(client(&proxy, "10.0.0.1", &["203.0.113.9"]), "203.0.113.9");
        // The player wrote the first one; the proxy added where that came from.
        assert_eq!(client(&proxy, "10.0.0.1", &["127.0.0.1, 203.0.113.9"]), "203.0.113.9");
        assert_eq!(client(&proxy, "10.0.0.1", &["127.0.0.1", "198.51.100.7,203.0.113.9"]), "203.0.113.9");
        // Another machine of that network is not the proxy.
        assert_eq!(client(&proxy, "10.0.0.2", &["203.0.113.9"]), "10.0.0.2");
    }

    #[test]
    fn a_chain_of_trusted_proxies_is_followed_to_the_first_that_is_not() {
        let proxies = ["10.0.0.0/8", "2001:db8::/32"];
        assert_eq!(client(&proxies, "10.0.0.1", &["1.2.3.4, 203.0.113.9, 2001:db8::7, 10.9.9.9"]), "203.0.113.9");
        assert_eq!(client(&proxies, "10.0.0.1", &["10.0.0.7"]), "10.0.0.7", "all of them are trusted: the first");
    }

    #[test]
    fn addresses_are_read_with_ports_and_brackets_and_mapped_ones_are_what_they_map() {
        let proxy = ["127.0.0.1/32"];
        assert_eq!(client(&proxy, "::ffff:127.0.0.1", &["203.0.113.9:4711"]), "203.0.113.9");
        assert_eq!(client(&proxy, "127.0.0.1", &["[2001:db8::9]:443"]), "2001:db8::9");
        assert_eq!(client(&proxy, "127.0.0.1", &["[2001:db8::9]"]), "2001:db8::9");
        assert_eq!(client(&proxy, "127.0.0.1", &["::ffff:203.0.113.9"]), "203.0.113.9");
    }

    #[test]
    fn a_proxy_that_names_no_address_is_taken_for_the_client() {
        for said in [&[] as &[&str], &["unknown"], &[""], &["203.0.113.9, "], &["203.0.113.9, _hidden"]] {
            assert_eq!(client(&["127.0.0.1/32"], "127.0.0.1", said), "127.0.0.1", "{said:?}");
        }
    }
}
