// Changes words of an image, each with a checksum that fits, and asks it everything that can be asked. Prints the word
// before each change, and every thrown error without a type of zerohop; the parent sees whether the lines go on. Plain
// JavaScript over the build.
import { createHash, generateKeyPairSync } from 'node:crypto'
import { readFileSync, writeSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import { Header } from '../../dist/assembly/abi.js'
import { accessDiff } from '../../dist/src/image/access-diff/access-diff.js'
import { Image } from '../../dist/src/image/image.js'
import { isZerohopError, loadImage } from '../../dist/src/index.js'
import { Signer, Trust } from '../../dist/src/log/signature.js'

const [, , file, seed, from, until, step] = process.argv
const saved = new Uint8Array(readFileSync(file))
const whole = Image.load(saved)
const contents = whole.contents()
const { publicKey: pub, privateKey } = generateKeyPairSync('ed25519')
const signer = new Signer(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString())
const publicKey = pub.export({ type: 'spki', format: 'pem' }).toString()
const trust = new Trust(publicKey)

/** The word at `at` as value number `which`, and the checksum that then fits. */
function changed(at, which) {
  const bytes = saved.slice()
  const view = new DataView(bytes.buffer)
  const was = view.getUint32(at, true)
  const other = ((at * 2_654_435_761 + Number(seed)) >>> 0) % (saved.length >>> 2)
  const values = [0, was ^ (1 << (other % 32)), view.getUint32(other * 4, true), was + 4, 0xffff_fffc]
  view.setUint32(at, values[which], true)
  view.setUint32(Header.Crc, 0, true)
  view.setUint32(Header.Crc, crc32(bytes), true)
  return bytes
}

/** Signed, as by somebody whose key is trusted: then nothing is verified. */
const signed = (bytes) => Buffer.concat([bytes, signer.tail(createHash('sha256').update(bytes).digest())])

const DOORS = [
  (pdp) => pdp.check('ana', 'read', 'document'),
  (pdp) => pdp.check('ben', 'write', 'document:one', { level: 9 }),
  (pdp) => pdp.check({ key: 'ana', attributes: { level: 3 } }, 'write', 'document:doc-9'),
  (pdp) => pdp.subject('ana').can('read', 'document'),
  (pdp) => pdp.bulkCheck([{ user: 'ben', action: 'read', resource: 'document:one' }]),
  (pdp) => pdp.explain('ana', 'write', 'document:one'),
  (pdp) => pdp.why('ben', 'write', 'document:one'),
  (pdp) => pdp.userPermissions('ana'),
  (pdp) => pdp.users('write', 'document:one'),
  (pdp) => pdp.resources('ana', 'read', 'document'),
  (pdp) => pdp.roleAssignments({ page: 1, perPage: 100 }),
  (pdp) => pdp.filter('ana', 'read', 'document', { tenant: 'acme' }),
  (pdp) => pdp.snapshot('ana'),
]

function tried(name, ask) {
  try {
    return ask()
  } catch (error) {
    if (!isZerohopError(error)) writeSync(1, `odd ${name}: ${error?.stack ?? error}\n`)
    return undefined
  }
}

const WAYS = [
  ['verified', (bytes) => loadImage(bytes), (bytes) => Image.load(bytes)],
  ['not verified', (bytes) => loadImage(bytes, { verify: false }), (bytes) => Image.load(bytes, { verified: true })],
  ['signed', (bytes) => loadImage(signed(bytes), { publicKey }), (bytes) => Image.load(signed(bytes), { trust })],
]

for (let at = Number(from); at < Number(until); at += 4 * Number(step)) {
  for (let which = 0; which < 5; which++) {
    const [way, load, loadInside] = WAYS[(at / 4 + which) % 3]
    writeSync(1, `at ${at} ${which}\n`)
    const name = `word ${at}, value ${which}, ${way}`
    const bytes = changed(at, which)
    const pdp = tried(name, () => load(bytes))
    if (pdp === undefined) continue
    for (const [index, door] of DOORS.entries()) tried(`${name}, door ${index}`, () => door(pdp))
    const inside = tried(name, () => loadInside(bytes))
    if (inside === undefined) continue
    tried(`${name}, contents`, () => [...inside.contents()])
    tried(`${name}, compact`, () => loadInside(bytes).compact())
    tried(`${name}, verify`, () => loadInside(bytes).verify())
    tried(`${name}, diff`, () => accessDiff(whole, loadInside(bytes), contents, { now: 0, budget: 100_000 }))
  }
}
