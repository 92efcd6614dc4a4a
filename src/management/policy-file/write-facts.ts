// Writes the facts of a view into a file, as lines. Within one turn: that is one consistent state.
import { closeSync, openSync, writeSync } from 'node:fs'
import { ZerohopError } from '../../model/errors.ts'
import { FACTS_WRITTEN_BYTES } from '../../model/limits.ts'
import type { View } from '../../store/view.ts'
import { printFacts, type WantedFacts } from './facts-lines.ts'

/**
 * @param file path of a file that does not exist yet; created with mode 0600
 * @throws CONFIG_INVALID when it cannot be written
 */
export function writeFacts(view: View, file: string, wanted: WantedFacts): void {
  try {
    const to = openSync(file, 'wx', 0o600)
    try {
      let text = ''
      for (const line of printFacts(view, wanted)) {
        text += `${line}\n`
        if (text.length < FACTS_WRITTEN_BYTES) continue
        writeWhole(to, text)
        text = ''
      }
      writeWhole(to, text)
    } finally {
      closeSync(to)
    }
  } catch (error) {
    if (error instanceof ZerohopError) throw error // damage in the store
    const { code, message } = error as NodeJS.ErrnoException
    throw new ZerohopError('CONFIG_INVALID', { reason: `\`${file}\` cannot be written: ${code ?? message}` })
  }
}

/** A disk that is nearly full takes a part of it. */
function writeWhole(to: number, text: string): void {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; ) at += writeSync(to, bytes, at)
}
