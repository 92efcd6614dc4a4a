// Asks a real Prisma client for the rows of random filters: npm run test:prisma. Installs test/prisma first. Exit code:
// that of the tests, or 1 when a client is missing.
import { spawnSync } from 'node:child_process'
import './install-prisma.mjs'

const env = { ...process.env, ZEROHOP_TEST_COMPILED: '1' }
const { status } = spawnSync('npx', ['vitest', 'run', '--project', 'usual', 'test/prisma'], { stdio: 'inherit', env })
process.exitCode = status ?? 1
