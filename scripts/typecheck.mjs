// npm run typecheck: the types of everything: of src and what uses it, of the kernel, of the console.
import { spawnSync } from 'node:child_process'
import { TSC_ENV, TSC_OPTIONS } from './build-tsc.mjs'

const PROJECTS = ['tsconfig.json', 'assembly/tsconfig.json', 'console/tsconfig.json']

for (const project of PROJECTS) {
  const args = ['node_modules/typescript/bin/tsc', '--noEmit', '-p', project, ...TSC_OPTIONS]
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit', env: TSC_ENV })
  if (status !== 0) process.exitCode = 1
}
