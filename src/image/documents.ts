// Documents that an image carries for the host, stored under `kind/key`; the kernel never reads them. Today these are
// the mapping rules of proxy configs, which map requests to actions, so that an image file alone can answer checks of
// URLs.
import { Table } from '../../assembly/limits.ts'
import { objectAt } from '../kernel/decode.ts'
import { Encoder } from '../kernel/encode.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { urlRule } from '../kinds/proxy-config.ts'
import { partKey, type UrlRule } from '../model/objects.ts'
import { findWritten } from './look-up.ts'
import { documentKey, documentValue } from './records/document.ts'

const CONFIG = 'proxy_config'

/** The rules in their stored form: one text, so that equal rules are equal bytes. */
export function configText(rules: readonly UrlRule[]): { readonly rules: string } {
  return { rules: JSON.stringify(rules.map(urlRule)) }
}

/** Replaces the rules of a config; without rules the config is deleted. */
export function putConfig(kernel: Kernel, key: string, rules: readonly UrlRule[]): void {
  const { calls } = kernel
  const length = kernel.writeWhole(partKey(CONFIG, key))
  if (rules.length === 0) calls.removeDocument(findWritten(kernel, Table.Documents, length))
  else calls.setDocument(calls.put(Table.Documents, length), new Encoder(kernel).composite(configText(rules)))
}

/** The rules of every config by its key, in the order of the keys. */
export function configsIn(kernel: Kernel, documents: Iterable<number>): [key: string, rules: readonly UrlRule[]][] {
  const found: [string, readonly UrlRule[]][] = []
  for (const record of documents) {
    const key = documentKey(kernel, record)
    const stored = objectAt(kernel, documentValue(kernel, record))
    if (key.startsWith(`${CONFIG}/`) && typeof stored?.rules === 'string')
      found.push([key.slice(CONFIG.length + 1), JSON.parse(stored.rules) as UrlRule[]])
  }
  return found.sort(([left], [right]) => (left < right ? -1 : 1))
}
