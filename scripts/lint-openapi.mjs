// npm run lint:openapi: lints the OpenAPI document that the build wrote, with the rules of redocly.yaml.
import { spawnSync } from 'node:child_process'

// Neither telemetry nor a look for newer versions: the linter needs no network.
const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
const { status } = spawnSync('npx', ['--no-install', 'redocly', 'lint', 'dist/reference/openapi.json'], {
  stdio: 'inherit',
  env,
})
process.exit(status ?? 1)
