// Installs test/prisma, which only the tests of that folder need, and makes a client for each of its databases. Exit code
// 1 when a client is missing; the tests then skip and say so.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { build } from 'esbuild'

const FOLDER = 'test/prisma'

function run(command, args, options = {}) {
  const { status } = spawnSync(command, args, { stdio: 'inherit', ...options })
  if (status !== 0) process.exit(status ?? 1)
}

if (!existsSync(`${FOLDER}/node_modules/@prisma/client`))
  run('npm', ['ci', '--prefix', FOLDER, '--ignore-scripts', '--no-audit', '--no-fund'])

for (const provider of ['postgresql', 'sqlite']) {
  // The schema engine makes no client: without a path to some program the command would download it.
  const env = { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, CHECKPOINT_DISABLE: '1' }
  const command = ['node_modules/prisma/build/index.js', 'generate', '--schema', `${provider}.prisma`]
  run(process.execPath, command, { cwd: FOLDER, env })
  await build({
    entryPoints: [`${FOLDER}/node_modules/.clients/source/${provider}/client.ts`],
    outfile: `${FOLDER}/node_modules/.clients/${provider}.mjs`,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
  })
}
