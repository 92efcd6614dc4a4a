// What a command of this process prints.
import { vi } from 'vitest'

/** Runs it and returns what it wrote to standard output. */
export async function printedBy(command: () => Promise<unknown>): Promise<string> {
  let text = ''
  const spy = vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
    text += chunk.toString()
    return true
  })
  try {
    await command()
  } finally {
    spy.mockRestore()
  }
  return text
}
