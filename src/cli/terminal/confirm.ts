// Asks the user at a terminal.
import { createInterface } from 'node:readline/promises'

/** Anything but yes counts as no. */
export async function askToConfirm(question: string): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return /^y(es)?$/i.test((await lines.question(`${question} [y/N] `)).trim())
  } finally {
    lines.close()
  }
}
