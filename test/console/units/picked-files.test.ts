// Policy files that somebody picked: their bounds, and the lines that the page Policy file shows.
import { expect, it } from 'vitest'
import { lineAt, type ReadableFile, withPicked } from '../../../console/src/pages/policy-file/picked-files.ts'

const MIB = 1024 * 1024

function file(name: string, content: string | Uint8Array<ArrayBuffer>): ReadableFile {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content
  return { name, size: bytes.length, arrayBuffer: async () => bytes.buffer }
}

it('picked files are read as texts, and a later one replaces an earlier one of the same name', async () => {
  const first = await withPicked([], [file('a.yaml', 'one'), file('b.yaml', 'ü')])
  const second = await withPicked(first.files, [file('a.yaml', 'two')])
  expect(second).toEqual({
    files: [
      { name: 'a.yaml', text: 'two' },
      { name: 'b.yaml', text: 'ü' },
    ],
    refused: [],
  })
})

it('files that are not text, too large, or too large together are refused', async () => {
  const { files, refused } = await withPicked(
    [],
    [
      file('image.png', new Uint8Array([0xff, 0xfe, 0x00])),
      file('large.yaml', new Uint8Array(4 * MIB + 1)),
      ...['1', '2', '3', '4'].map((name) => file(name, 'x'.repeat(4 * MIB))),
      { name: 'gone.yaml', size: 1, arrayBuffer: () => Promise.reject(new Error('it was deleted')) },
    ],
  )
  expect(files.map(({ name }) => name)).toEqual(['1', '2', '3'])
  expect(refused.map((text) => text.split(' ')[0])).toEqual(['image.png', 'large.yaml', '4', 'gone.yaml'])
})

it('the line of a problem is shown, cut around the problem', () => {
  const files = [{ name: 'a.yaml', text: `\uFEFFone\r\n  - ${'x'.repeat(200)}raed${'y'.repeat(200)}\n` }]
  expect(lineAt(files, { file: 'a.yaml', line: 1, column: 1, length: 3 })).toEqual({
    before: '',
    meant: 'one',
    after: '',
  })
  const long = lineAt(files, { file: 'a.yaml', line: 2, column: 205, length: 4 })
  expect(long?.meant).toBe('raed')
  expect(long?.before).toMatch(/^…x{60}$/)
  expect(long?.after).toMatch(/^y{96}…$/)
  expect(lineAt(files, { file: 'a.yaml', line: 9, column: 1, length: 1 })).toBeUndefined()
  expect(lineAt(files, { file: 'b.yaml', line: 1, column: 1, length: 1 })).toBeUndefined()
})
