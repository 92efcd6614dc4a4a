// A copy of the build with places replaced: a defect, or what another version does. What is no longer there is an
// error, so that no edit of the source makes a test empty.
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { temporaryFolder } from './folders.ts'

export interface Edit {
  /** below `dist/src`, where each source is a file of its own */
  readonly file: string
  readonly from: string
  readonly to: string
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Returns the folder `dist/src` of the copy. */
export function otherBuild(name: string, edits: readonly Edit[]): string {
  const folder = temporaryFolder('build')
  for (const part of ['dist', 'build/release.wasm', 'package.json'])
    cpSync(join(ROOT, part), join(folder, part), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  const sources = join(folder, 'dist/src')
  for (const { file, from, to } of edits) {
    const path = join(sources, file)
    const [before, after, ...more] = readFileSync(path, 'utf8').split(from)
    if (before === undefined || after === undefined || more.length > 0)
      throw new Error(`${name}: \`${from}\` is not there once in ${file}`)
    writeFileSync(path, `${before}${to}${after}`)
  }
  return sources
}
