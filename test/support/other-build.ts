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
  for (const [file, text] of editedFiles(name, edits)) writeFileSync(join(sources, file), text)
  return sources
}

/** The files below `dist/src` that would differ in the copy, with their text. */
export function editedFiles(name: string, edits: readonly Edit[]): Map<string, string> {
  const edited = new Map<string, string>()
  for (const { file, from, to } of edits) {
    const text = edited.get(file) ?? readFileSync(join(ROOT, 'dist/src', file), 'utf8')
    const [before, after, ...more] = text.split(from)
    if (before === undefined || after === undefined || more.length > 0)
      throw new Error(`${name}: \`${from}\` is not there once in ${file}`)
    edited.set(file, `${before}${to}${after}`)
  }
  return edited
}
