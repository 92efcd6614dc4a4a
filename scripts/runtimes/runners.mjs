// What is run: each bundler builds the same program, each runtime starts it. `start` gives the command; commands run in
// the folder of the installation, with what the program needs in FOLLOW. `builds` are commands that make it.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

const bin = (name) => join('node_modules/.bin', name)
const NODE = process.execPath
/** On a port that is free. */
export const NEXT_START = [bin('next'), 'start', '--hostname', '127.0.0.1', '--port', '0']

/** @type {readonly { name: string, package: string, builds?: (folder: string) => string[][], start: string[] }[]} */
export const RUNNERS = [
  { name: 'Node.js', package: 'node', start: [NODE, 'main.mjs'] },
  { name: 'tsx', package: 'tsx', start: [bin('tsx'), 'typed.ts'] },
  {
    name: 'esbuild',
    package: 'esbuild',
    builds: () => [
      [bin('esbuild'), 'main.mjs', '--bundle', '--platform=node', '--format=esm', '--outfile=out/esbuild/app.mjs'],
    ],
    start: [NODE, 'out/esbuild/app.mjs'],
  },
  {
    name: 'esbuild, `zerohop` left out',
    package: 'esbuild',
    builds: () => [
      [
        bin('esbuild'),
        'main.mjs',
        '--bundle',
        '--platform=node',
        '--format=esm',
        '--external:zerohop',
        '--outfile=out/external/app.mjs',
      ],
    ],
    start: [NODE, 'out/external/app.mjs'],
  },
  {
    name: 'Rollup',
    package: 'rollup',
    builds: (folder) => {
      configure(
        folder,
        'rollup.config.mjs',
        `import commonjs from '@rollup/plugin-commonjs'
import json from '@rollup/plugin-json'
import { nodeResolve } from '@rollup/plugin-node-resolve'
export default {
  input: 'main.mjs',
  output: { file: 'out/rollup/app.mjs', format: 'esm', inlineDynamicImports: true },
  plugins: [nodeResolve({ preferBuiltins: true, exportConditions: ['node'] }), commonjs(), json()],
}`,
      )
      return [[bin('rollup'), '--silent', '-c', 'rollup.config.mjs']]
    },
    start: [NODE, 'out/rollup/app.mjs'],
  },
  {
    name: 'webpack',
    package: 'webpack',
    builds: (folder) => {
      configure(
        folder,
        'webpack.mjs',
        `import { resolve } from 'node:path'
import webpack from 'webpack'
const output = { path: resolve('out/webpack'), filename: 'app.cjs' }
webpack({ mode: 'production', target: 'node', entry: './main.mjs', output }, (error, stats) => {
  if (error || stats.hasErrors() || stats.hasWarnings()) {
    console.error(error ?? stats.toString({ colors: false }))
    process.exitCode = 1
  }
})`,
      )
      return [[NODE, 'webpack.mjs']]
    },
    start: [NODE, 'out/webpack/app.cjs'],
  },
  {
    name: 'Vite SSR',
    package: 'vite',
    builds: () => [[bin('vite'), 'build', '--ssr', 'main.mjs', '--outDir', 'out/vite', '--logLevel', 'warn']],
    start: [NODE, 'out/vite/main.js'],
  },
  {
    name: 'Jest',
    package: 'jest',
    builds: () => [
      [
        bin('esbuild'),
        'follow.mjs',
        '--bundle',
        '--platform=node',
        '--format=cjs',
        '--external:zerohop',
        '--outfile=jest/follow.cjs',
      ],
    ],
    start: [
      bin('jest'),
      '--ci',
      '--runInBand',
      '--watchman=false',
      '--rootDir',
      'jest',
      '--testMatch',
      '**/*.test.cjs',
    ],
  },
  { name: 'Vitest', package: 'vitest', start: [bin('vitest'), 'run', '--dir', 'vitest'] },
  { name: 'Bun', package: 'bun', start: [bin('bun'), 'main.mjs'] },
  { name: 'Deno', package: 'deno', start: [bin('deno'), 'run', '--allow-all', '--no-lock', 'main.mjs'] },
  next('Next, Turbopack', [], 'next'),
  next('Next, webpack', ['--webpack'], 'next-webpack'),
]

/** `next build` of examples/next in its default configuration, and a route that follows in the server. */
function next(name, flags, folder) {
  return {
    name,
    package: 'next',
    application: folder,
    builds: () => [[bin('next'), 'build', ...flags, folder]],
    start: [...NEXT_START, folder],
  }
}

const configure = (folder, file, text) => writeFileSync(join(folder, file), `${text}\n`)
