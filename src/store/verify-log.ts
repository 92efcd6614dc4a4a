// The entries of a log against their checksums, the count and digest in its head, and the chain: each entry with its
// changes is bound to the one before it by SHA-256. Entries that lost their changes to retention have only checksum and
// digest.
import { Digest } from './checksum.ts'
import { entryCount, type Head } from './heads.ts'
import { CHAIN_BYTES, chainAfter } from './log.ts'
import { revisionKey } from './table-keys.ts'
import { attempt, compare, findHead, type LogPart, report } from './verify-part.ts'

/** All in one step, because the head is valid for one read transaction only. */
export function* verifyEntries(part: LogPart): Generator<void> {
  const head = findHead(part)
  if (head === undefined) return
  const walk = new Walk(part, head)
  const range = { start: revisionKey(head.number, 0), end: revisionKey(head.number + 1, 0) }
  let isWalked = false
  attempt(part.reporter, part.log, () => {
    for (const entry of part.tables.log.inspect(range)) {
      if (entry.damage !== undefined) part.reporter.damage({ log: part.log, error: entry.damage })
      walk.entry(entry.key, entry.content, entry.crc, entry.damage === undefined)
    }
    isWalked = true
  })
  part.reporter.checked(walk.digest.count)
  if (isWalked) walk.end()
}

class Walk {
  readonly digest = new Digest()
  readonly #part: LogPart
  readonly #head: Head
  #revision: number
  /** chain of the previous entry; undefined when it is unknown */
  #chain: string | undefined

  constructor(part: LogPart, head: Head) {
    this.#part = part
    this.#head = head
    this.#revision = (head.historyFrom ?? 1) - 1
    this.#chain = this.#revision === 0 ? head.lineage : undefined
  }

  entry(key: Uint8Array, content: Uint8Array, crc: number, isSound: boolean): void {
    this.digest.add(key, crc)
    const revision = Buffer.from(key).readUIntBE(4, 6)
    if (revision !== this.#revision + 1) {
      report(this.#part, this.#head, `revision ${revision} in table log follows revision ${this.#revision}`)
      this.#chain = undefined
    }
    this.#revision = revision
    if (!isSound || content.length < CHAIN_BYTES) {
      this.#chain = undefined
      return
    }
    const chain = Buffer.from(content).toString('hex', 0, CHAIN_BYTES)
    const isWhole = revision >= (this.#head.deltasFrom ?? 1)
    if (isWhole && this.#chain !== undefined && chainAfter(this.#chain, content) !== chain)
      report(this.#part, this.#head, `revision ${revision} in table log does not continue the chain`)
    this.#chain = chain
  }

  end(): void {
    compare(this.#part, this.#head, 'table log', this.digest, entryCount(this.#head), this.#head.log)
    if (this.#chain !== undefined && this.#chain !== this.#head.chain)
      report(this.#part, this.#head, 'the chain of the log does not end where its head says')
  }
}
