// Finds keys whose 32-bit hashes are equal: the fixed lists in test/support/collisions.ts. The kernel's own hash
// (assembly/memory/symbols.ts) is compiled with a search around it and run: node scripts/find-colliding-keys.mjs, some
// minutes.
//
//   same length     two of 2^18 keys `user-NNNNNN`: a birthday search finds about eight pairs
//   longer          `user-NNN` and `user-NNN-NNNNNNN`: about 2^32 pairs are tried one after another
//   one bucket      keys whose hashes end in the same 12 bits as those of a pair: they fill its bucket
import { readFileSync } from 'node:fs'
import asc from 'assemblyscript/asc'

const KEYS = 2 ** 18
const FILLERS = 7
const BUCKET_BITS = 12
const TEXT = 0x100000

const SEARCH = `
import { hashBytes } from './memory/symbols'

function writeNumber(at: u32, digits: u32, value: u32): void {
  for (let digit = digits; digit > 0; digit--) {
    store<u8>(at + digit - 1, (0x30 + (value % 10)) as u8)
    value /= 10
  }
}

/** The hash of the text with the number in \`digits\` digits behind its first \`length\` bytes. */
export function hashOf(text: u32, length: u32, digits: u32, value: u32): u32 {
  writeNumber(text + length, digits, value)
  return hashBytes(text, length + digits)
}

/** The first number below \`end\` with which the text has the hash; \`end\` when there is none. */
export function search(text: u32, length: u32, digits: u32, end: u32, hash: u32): u32 {
  let value: u32 = 0
  while (value < end && hashOf(text, length, digits, value) !== hash) value++
  return value
}
`

async function compileSearch() {
  const { options } = JSON.parse(readFileSync('asconfig.json', 'utf8'))
  const files = new Map([
    ['asconfig.json', JSON.stringify({ options })],
    ['assembly/search.ts', SEARCH],
  ])
  let bytes
  const flags = ['--outFile', 'search.wasm', '--optimizeLevel', '3', '--noAssert']
  const { error, stderr } = await asc.main(['assembly/search.ts', ...flags], {
    readFile: (name) => {
      if (files.has(name)) return files.get(name)
      try {
        return readFileSync(name, 'utf8')
      } catch {
        return null
      }
    },
    writeFile: (_, data) => {
      if (typeof data !== 'string') bytes = data
    },
    listFiles: () => [],
  })
  if (error !== null) throw new Error(stderr.toString())
  const memory = new WebAssembly.Memory({ initial: 32, maximum: 0x8000 })
  const abort = () => {
    throw new Error('the search was aborted')
  }
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes), { env: { memory, abort } })
  return { exports, write: (text) => new TextEncoder().encodeInto(text, new Uint8Array(memory.buffer, TEXT)).written }
}

const { exports, write } = await compileSearch()
const numbered = (value, digits) => String(value).padStart(digits, '0')
const hex = (hash) => (hash >>> 0).toString(16).padStart(8, '0')

const start = write('user-')
const byHash = new Map()
const pairs = []
const hashes = new Uint32Array(KEYS)
for (let value = 0; value < KEYS; value++) {
  const hash = exports.hashOf(TEXT, start, 6, value) >>> 0
  hashes[value] = hash
  if (byHash.has(hash)) pairs.push([byHash.get(hash), value])
  else byHash.set(hash, value)
}
for (const [left, right] of pairs)
  console.log(`same length  user-${numbered(left, 6)}  user-${numbered(right, 6)}  ${hex(hashes[left])}`)

const [first, second] = pairs[0]
const mask = 2 ** BUCKET_BITS - 1
const fillers = [...hashes.keys()]
  .filter((value) => value !== first && value !== second && (hashes[value] & mask) === (hashes[first] & mask))
  .slice(0, FILLERS)
console.log(`one bucket   ${fillers.map((value) => `user-${numbered(value, 6)}`).join('  ')}  ${hex(hashes[first])}`)

for (let value = 0; value < 1000; value++) {
  const key = `user-${numbered(value, 3)}`
  const hash = exports.hashOf(TEXT, write('user-'), 3, value) >>> 0
  const found = exports.search(TEXT, write(`${key}-`), 7, 10 ** 7, hash) >>> 0
  if (found === 10 ** 7) continue
  console.log(`longer       ${key}  ${key}-${numbered(found, 7)}  ${hex(hash)}`)
  break
}
