# An image with Elinvar and the programs that it uses: Yosys for Verilog and Z3 for Boogie.
#
#   docker build -t elinvar .
#   docker run --rm -v "$PWD:/work" elinvar check fifo.sv --ci
FROM rust:1-slim-bookworm AS build
RUN apt-get update \
    && apt-get install --yes --no-install-recommends g++ \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY . .
RUN cargo xtask dist --prefix /opt/elinvar

FROM debian:bookworm-slim
LABEL org.opencontainers.image.title="Elinvar" \
      org.opencontainers.image.description="A symbolic model checker that answers with evidence" \
      org.opencontainers.image.source="https://github.com/elinvar/elinvar" \
      org.opencontainers.image.licenses="MIT OR Apache-2.0"
RUN apt-get update \
    && apt-get install --yes --no-install-recommends libz3-4 yosys z3 \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home --uid 1000 elinvar
COPY --from=build /opt/elinvar /usr/local
USER elinvar
WORKDIR /work
ENTRYPOINT ["elinvar"]
CMD ["--help"]
