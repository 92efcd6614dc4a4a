// A copy of the build with places of the sources replaced: a defect, or what another version does.
import { cpSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { type Canary, plantedSources, ROOT } from './canary.ts'
import { temporaryFolder } from './folders.ts'

/** Returns the folder `dist/src` of the copy, where each source is a file of its own. @throws as plantedSources */
export async function otherBuild(canary: Canary): Promise<string> {
  const folder = temporaryFolder('build')
  for (const part of ['dist', 'build/release.wasm', 'package.json'])
    cpSync(join(ROOT, part), join(folder, part), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  for (const [path, source] of plantedSources(canary))
    writeFileSync(join(folder, 'dist', builtAs(path)), await compileSource(source))
  return join(folder, 'dist/src')
}

/** Compiles one source to JavaScript, which imports its neighbours in the build. */
async function compileSource(source: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: source, loader: 'ts' },
    bundle: true, // only for its plugin: all that is imported stays outside
    write: false,
    format: 'esm',
    platform: 'node',
    logLevel: 'silent',
    plugins: [
      {
        name: 'imports of the build',
        setup({ onResolve }) {
          onResolve({ filter: /./ }, ({ path }) => ({ path: builtAs(path), external: true }))
        },
      },
    ],
  })
  return outputFiles[0]!.text
}

const builtAs = (path: string): string => path.replace(/\.ts$/, '.js')
