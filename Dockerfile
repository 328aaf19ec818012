# The server alone; it needs a Postgres beside it (docker-compose.yml).

FROM rust:1.95-slim-bookworm AS build
WORKDIR /build
COPY . .
# Queries are checked against the cache in server/.sqlx: no database is needed here. Symbols stay, for backtraces.
RUN rm -f rust-toolchain.toml && cargo build --release --locked --bin stakeboard-server \
    --config 'profile.release.strip="debuginfo"'

FROM debian:bookworm-slim
RUN useradd --system --uid 10001 --user-group --home-dir /var/lib/stakeboard --create-home stakeboard
COPY --from=build /build/target/release/stakeboard-server /usr/local/bin/
USER stakeboard
# Keys made up at the first start, in development, are kept under .stakeboard/ here; nothing else is written.
WORKDIR /var/lib/stakeboard
VOLUME /var/lib/stakeboard
ENV STAKEBOARD_LISTEN=0.0.0.0:8080
EXPOSE 8080
STOPSIGNAL SIGTERM
# Bash speaks enough HTTP to ask whether a move could be committed.
HEALTHCHECK --interval=5s --timeout=3s --start-period=20s CMD ["bash", "-c", \
    "exec 3<>/dev/tcp/127.0.0.1/8080 && printf 'GET /readyz HTTP/1.1\\r\\nhost: localhost\\r\\nconnection: close\\r\\n\\r\\n' >&3 && read -r _ status _ <&3 && [ \"$status\" = 200 ]"]
CMD ["stakeboard-server"]
