// Reads a file of another engine. Everything but text of a bearable size is refused, with its name.
import { isUtf8 } from 'node:buffer'
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs'
import type { Source } from '../../management/policy-file/problem.ts'
import { ZerohopError } from '../../model/errors.ts'
import { IMPORTED_FILE_BYTES_MAX } from '../../model/limits.ts'

/** @throws CONFIG_INVALID when it is missing, no file, too large, or not text in UTF-8 */
export function readText(name: string): Source {
  const bytes = readBytes(name)
  if (!isUtf8(bytes) || bytes.includes(0)) throw unreadable(name, 'it is not text in UTF-8')
  return { name, text: bytes.toString('utf8') }
}

function readBytes(name: string): Buffer {
  try {
    const file = openSync(name, 'r')
    try {
      const there = fstatSync(file)
      if (!there.isFile()) throw unreadable(name, there.isDirectory() ? 'it is a folder' : 'it is not a file')
      if (there.size > IMPORTED_FILE_BYTES_MAX)
        throw unreadable(name, `it is larger than ${IMPORTED_FILE_BYTES_MAX} bytes`)
      return readFileSync(file)
    } finally {
      closeSync(file)
    }
  } catch (error) {
    if (error instanceof ZerohopError) throw error
    const { code, message } = error as NodeJS.ErrnoException
    throw unreadable(name, code === 'ENOENT' ? 'the file does not exist' : (code ?? message))
  }
}

const unreadable = (name: string, reason: string): ZerohopError =>
  new ZerohopError('CONFIG_INVALID', { reason: `\`${name}\` cannot be read: ${reason}` })
