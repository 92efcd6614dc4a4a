// What a command of this process prints.
import { vi } from 'vitest'

/** The rows of a list that was printed as JSON, one in each line. */
// biome-ignore lint/suspicious/noExplicitAny: a test knows what is in them
export const parseLines = (text: string): any[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))

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
