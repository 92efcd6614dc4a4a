// What an image carries for the host and the kernel never looks into: documents under `kind/key`. Today these are the mapping rules of
// proxy configs, which say which request is which action; with them an image file alone answers about URLs.
import { Document, Table } from '../../assembly/abi.ts'
import { objectAt } from '../kernel/decode.ts'
import { Encoder } from '../kernel/encode.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { urlRule } from '../log/delta.ts'
import { partKey, type UrlRule } from '../model/objects.ts'

const CONFIG = 'proxy_config'

/** The rules as they are stored: one text, so that equal rules are equal bytes. */
export function configText(rules: readonly UrlRule[]): { readonly rules: string } {
  return { rules: JSON.stringify(rules.map(urlRule)) }
}

/** Makes the rules of a config these; without any it goes. */
export function putConfig(kernel: Kernel, key: string, rules: readonly UrlRule[]): void {
  const { calls } = kernel
  const length = kernel.writeWhole(partKey(CONFIG, key))
  if (rules.length === 0) calls.removeDocument(calls.find(Table.Documents, length))
  else calls.setDocument(calls.put(Table.Documents, length), new Encoder(kernel).composite(configText(rules)))
}

/** The rules of every config by its key, in the order of the keys. */
export function configsIn(kernel: Kernel, documents: Iterable<number>): [key: string, rules: readonly UrlRule[]][] {
  const found: [string, readonly UrlRule[]][] = []
  for (const record of documents) {
    const key = kernel.key(record, Document.Key)
    const stored = objectAt(kernel, kernel.word(record + Document.Value))
    if (key.startsWith(`${CONFIG}/`) && typeof stored?.rules === 'string')
      found.push([key.slice(CONFIG.length + 1), JSON.parse(stored.rules) as UrlRule[]])
  }
  return found.sort(([left], [right]) => (left < right ? -1 : 1))
}
