// The old engine of a proof: casbin itself, on the same files. It is a peer that only an import loads.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Source } from '../../management/policy-file/problem.ts'
import { toErrorLine } from '../../model/error-line.ts'
import { ZerohopError } from '../../model/errors.ts'
import type { OldEngine } from '../frame/importer.ts'
import { loadPeer } from '../frame/load-peer.ts'
import { readPolicyLines } from './policy-lines.ts'

/** What is used of the package. */
interface Casbin {
  newModelFromString(text: string): Model
  newEnforcer(model: Model, adapter: object): Promise<{ enforce(...values: string[]): Promise<boolean> }>
  readonly Helper: { loadPolicyLine(line: string, model: Model): void }
}
interface Model {
  readonly model: ReadonlyMap<string, ReadonlyMap<string, { readonly policy: string[][] }>>
}

/** @throws PACKAGE_MISSING, CONFIG_INVALID when casbin refuses the files */
export async function openCasbin([model, ...policies]: readonly Source[]): Promise<OldEngine<readonly string[]>> {
  const casbin = await loadPeer<Casbin>('casbin')
  try {
    const adapter = {
      loadPolicy: async (into: Model): Promise<void> => {
        for (const source of policies) load(casbin, source, into)
      },
    }
    const enforcer = await casbin.newEnforcer(casbin.newModelFromString(model?.text ?? ''), adapter)
    return {
      name: `casbin ${readVersion()}`,
      ask: (values) => enforcer.enforce(...values),
      close: () => Promise.resolve(),
    }
  } catch (error) {
    throw new ZerohopError(
      'CONFIG_INVALID',
      { reason: `casbin refuses the files: ${toErrorLine(error)}` },
      { cause: error },
    )
  }
}

/** Lines are read by casbin; rows of a database have no reader of casbin's own. */
function load(casbin: Casbin, source: Source, into: Model): void {
  if (!/^\s*\[/.test(source.text)) {
    // as its adapter for files does
    for (const line of source.text.split('\n'))
      if (line !== '' && !line.trim().startsWith('#')) casbin.Helper.loadPolicyLine(line, into)
    return
  }
  for (const { type, values } of readPolicyLines(source).lines)
    into.model
      .get(type.charAt(0))
      ?.get(type)
      ?.policy.push([...values])
}

function readVersion(): string {
  const path = createRequire(import.meta.url).resolve('casbin/package.json')
  return (JSON.parse(readFileSync(path, 'utf8')) as { readonly version: string }).version
}
