# Holdfast in a container: docker build -t holdfast . && docker run --rm -v "$PWD:/data" holdfast mirror URL -o docs
# `make container` takes these steps without Docker, and uses the result.
FROM rust:1.95-slim-trixie AS build
RUN apt-get update && apt-get install -y --no-install-recommends python3-pip python3-venv
COPY . /holdfast
RUN python3 -m pip wheel --quiet --no-deps --wheel-dir /wheels /holdfast

FROM python:3.13-slim-trixie
COPY --from=build /wheels /wheels
COPY constraints.txt /wheels/
RUN python3 -m pip install --quiet --no-cache-dir -c /wheels/constraints.txt "$(ls /wheels/*.whl)[all]"
RUN useradd --create-home --uid 10001 holdfast && mkdir /data && chown holdfast /data
USER holdfast
WORKDIR /data
VOLUME /data
ENTRYPOINT ["holdfast"]
CMD ["--help"]
