# The container: the `zerohop` command on a glibc Node LTS, without root and without development dependencies.
# It runs the PDP on port 7000; `serve` (management API and PDP in one) and `api` (management API alone) are other commands:
#   docker run -p 7000:7000 -e PDP_API_KEY -e PDP_CONTROL_PLANE zerohop/pdp-v2:latest
#   docker run -p 7000:7000 -p 8080:8080 -v zerohop:/data zerohop/pdp-v2:latest serve
# RUN steps use paths relative to WORKDIR only, so that .ci/container.mjs can execute them where no container engine runs.

FROM node:24-bookworm-slim@sha256:6f7b03f7c2c8e2e784dcf9295400527b9b1270fd37b7e9a7285cf83b6951452d AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY console/package.json console/package.json
RUN npm ci
COPY asconfig.json tsconfig.json tsconfig.build.json ./
COPY scripts scripts
COPY assembly assembly
COPY src src
COPY console console
COPY docs/console.md docs/console.md
RUN npm run build && mkdir -p empty

FROM node:24-bookworm-slim@sha256:6f7b03f7c2c8e2e784dcf9295400527b9b1270fd37b7e9a7285cf83b6951452d AS production
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY console/package.json console/package.json
RUN npm ci --omit=dev --workspaces=false

FROM node:24-bookworm-slim@sha256:6f7b03f7c2c8e2e784dcf9295400527b9b1270fd37b7e9a7285cf83b6951452d
ENV NODE_ENV=production ZEROHOP_HOST=0.0.0.0 ZEROHOP_DATA=/data
WORKDIR /app
COPY package.json LICENSE ./
COPY docs/migration.md docs/migration.md
COPY --from=production /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY --from=build /app/build/release.wasm build/release.wasm
COPY --from=build --chown=node:node /app/empty /data
USER node
VOLUME /data
EXPOSE 7000 8080
STOPSIGNAL SIGTERM
# Whether the process answers at all, which a restart may mend: of the PDP, and where there is none (`api`) of the management API. Whether requests
# should be sent to it says GET /ready: a PDP that loads is alive and not ready. The start period is for an upgrade of a large folder.
HEALTHCHECK --interval=10s --timeout=3s --start-period=10m \
  CMD ["node", "-e", "process.env.NODE_TLS_REJECT_UNAUTHORIZED = 0; const scheme = process.env.PDP_TLS_CERT ? 'https' : 'http'; const at = (port) => fetch(`${scheme}://127.0.0.1:${port}/health`); at(process.env.PDP_PORT || 7000).catch(() => at(process.env.ZEROHOP_API_PORT || 8080)).then(() => process.exit(0), () => process.exit(1))"]
ENTRYPOINT ["node", "dist/bundle/zerohop.js"]
CMD ["pdp"]
