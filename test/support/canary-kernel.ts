// The kernel with a canary.
import { compile, readSources } from '../mutants/compile.ts'
import { type Canary, plantedSources } from './canary.ts'

const ROOT = new URL('../../', import.meta.url)
const FOLDER = 'assembly/'

/** @throws as plantedSources, or when the compiler refuses it */
export async function kernelWith(canary: Canary): Promise<WebAssembly.Module> {
  const sources = new Map(readSources(ROOT))
  for (const [path, text] of plantedSources(canary)) {
    const file = path.slice(FOLDER.length)
    if (!path.startsWith(FOLDER) || !sources.has(file)) throw new Error(`${path} is no source of the kernel`)
    sources.set(file, text)
  }
  const bytes = await compile(ROOT, sources)
  if (typeof bytes === 'string') throw new Error(bytes)
  return new WebAssembly.Module(bytes)
}
