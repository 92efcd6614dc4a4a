// A module of the sources with a canary: it is bundled anew with the files of its folder, and takes all else from the
// build, which is loaded once for all canaries.
import { join, posix, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { type Canary, plantedSources, ROOT } from './canary.ts'

/**
 * The module `entry`, a path from the root of the repository, with the canary; of several all that they export. The bundle
 * takes from the sources what is in the folder of the module, or in the innermost one that has all of them.
 * @param folder where the bundle is written
 * @throws when the tag of the canary is not in a file that the bundle takes from the sources
 */
export async function importWith<Module>(
  canary: Canary,
  entry: string | readonly string[],
  folder: string,
): Promise<Module> {
  const paths = typeof entry === 'string' ? [entry] : entry
  const planted = plantedSources(canary)
  const outfile = join(folder, `${Object.keys(canary).join('-')}.mjs`)
  const own = `${paths.map((path) => posix.dirname(path)).reduce(findCommonFolder)}/`
  const entries = paths.map((path) => `export * from './${posix.relative(own, path)}'`)
  const toRepositoryPath = (file: string): string => relative(ROOT, file).replaceAll('\\', '/')
  const { metafile } = await build({
    stdin: { contents: entries.join('\n'), resolveDir: join(ROOT, own), loader: 'ts' },
    absWorkingDir: ROOT,
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    logLevel: 'silent',
    metafile: true,
    plugins: [
      {
        name: 'canary',
        setup({ onLoad, onResolve }) {
          onResolve({ filter: /^\.\.?\// }, ({ path, resolveDir }) => {
            const source = toRepositoryPath(join(resolveDir, path))
            if (source.startsWith(own)) return undefined
            return { path: pathToFileURL(join(ROOT, 'dist', builtAs(source))).href, external: true }
          })
          onLoad({ filter: /\.ts$/ }, ({ path }) => {
            const contents = planted.get(toRepositoryPath(path))
            return contents === undefined ? undefined : { contents, loader: 'ts' }
          })
        },
      },
    ],
  })
  for (const path of planted.keys()) if (!(path in metafile.inputs)) throw new Error(`${path} is not part of ${paths}`)
  return (await import(pathToFileURL(outfile).href)) as Module
}

function findCommonFolder(one: string, other: string): string {
  let folder = one
  while (folder !== other && !other.startsWith(`${folder}/`)) folder = posix.dirname(folder)
  return folder
}

const builtAs = (source: string): string => source.replace(/\.ts$/, '.js')
