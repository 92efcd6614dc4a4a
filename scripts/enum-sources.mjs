// The layout of memory and its bounds for a bundler: as their source. Of an enum tsc makes an object that is filled at
// every start, hundreds of members; from the source a bundler writes the number where a member is read.
import { readFileSync } from 'node:fs'

/** Both files as tsc compiles them. */
export const BUILT_ENUMS = /[\\/]dist[\\/]assembly[\\/](abi|limits)\.js$/

/** The source of a file of `dist/assembly`; null for any other file. */
export function readEnumSource(file) {
  const name = BUILT_ENUMS.exec(file)?.[1]
  return name === undefined ? null : readFileSync(`assembly/${name}.ts`, 'utf8')
}
