// Reads the files of a policy: those that are named, and all in folders that are named. find-files.ts finds them, and
// read-policy.ts says what they mean.
import { isUtf8 } from 'node:buffer'
import { closeSync, openSync, readSync } from 'node:fs'
import { isZerohopError, ZerohopError } from '../../model/errors.ts'
import { POLICY_FILE_BYTES_MAX } from '../../model/limits.ts'
import { type FoundFile, findFiles, STANDARD_INPUT, unreadable } from './find-files.ts'
import type { Problem, Source } from './problem.ts'

export interface FoundSources {
  /** named as they were asked for */
  readonly sources: readonly Source[]
  /** files that are no text */
  readonly problems: readonly Problem[]
}

/** Reads files, and all YAML and JSON files in folders. @throws CONFIG_INVALID */
export function readSources(paths: readonly string[], from: string): FoundSources {
  const sources: Source[] = []
  const problems: Problem[] = []
  for (const file of findFiles(paths, from)) {
    const { name } = file
    const bytes = readBytes(file)
    if (isUtf8(bytes)) sources.push({ name, text: bytes.toString('utf8') })
    else {
      const place = { file: name, line: 1, column: 1, length: 1 }
      problems.push({ severity: 'error', message: 'the file is not text in UTF-8', place })
    }
  }
  return { sources, problems }
}

/** @throws CONFIG_INVALID when the file cannot be read, or is larger than a policy file may be */
function readBytes({ name, path }: FoundFile): Buffer {
  if (name === STANDARD_INPUT) return standardInput()
  try {
    const file = openSync(path, 'r')
    try {
      return readDescriptor(file, `\`${name}\``)
    } finally {
      closeSync(file)
    }
  } catch (error) {
    if (isZerohopError(error)) throw error
    throw unreadable(name, error)
  }
}

/** Everything of standard input. @throws CONFIG_INVALID when it is larger than a policy file may be */
export const standardInput = (): Buffer => readDescriptor(0, 'standard input')

/** Reads to the end: of a pipe no size is known, and a file may grow. */
function readDescriptor(file: number, name: string): Buffer {
  const chunks: Buffer[] = []
  for (let size = 0; ; ) {
    const chunk = Buffer.allocUnsafe(65_536)
    const read = readSync(file, chunk)
    if (read === 0) return Buffer.concat(chunks)
    size += read
    if (size > POLICY_FILE_BYTES_MAX)
      throw new ZerohopError('CONFIG_INVALID', { reason: `${name} is larger than ${POLICY_FILE_BYTES_MAX} bytes` })
    chunks.push(chunk.subarray(0, read))
  }
}
