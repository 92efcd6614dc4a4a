// The tables on disk; the indexes over objects are src/store/indexes.ts. A change in either changes the disk format: raise FORMAT, write an ADR
// and an upgrade test.
// Every table is a named LMDB database, because clearing the unnamed one aborts the process. Keys are built in src/store/encode.ts.

import type { LogId } from '../log/change.ts'
import type { ImageSize } from '../log/image-bytes.ts'
import { ZerohopError } from '../model/errors.ts'
import { DATA_BYTES_MAX } from '../model/limits.ts'
import type { Kind, Objects } from '../model/objects.ts'
import { type Database, type DatabaseOptions, open, type RootDatabase } from './lmdb.ts'

/** Number of the disk format; a folder of another number is refused (DATA_FOREIGN). */
export const FORMAT = 1

/** How a kind is written in keys. A number is never given to another kind. */
export const KIND_NUMBERS: Readonly<Record<Kind, number>> = {
  resource: 1,
  role: 2,
  user: 3,
  tenant: 4,
  role_assignment: 5,
  membership: 6,
  resource_role: 7,
  relation: 8,
  action_group: 9,
  condition_set: 10,
  set_rule: 11,
  resource_instance: 12,
  relationship_tuple: 13,
  user_invite: 14,
  proxy_config: 15,
  built_in: 16,
  group: 17,
  organization: 128,
  project: 129,
  environment: 130,
  api_key: 131,
  pdp_config: 132,
  deleted_environment: 133,
}

/** Kinds whose objects nobody asks for by id. */
export const WITHOUT_IDS: ReadonlySet<Kind> = new Set<Kind>(['role_assignment', 'membership'])

/** Where a log stands, one record a log: everything that the next commit needs to know. */
export interface Head {
  /** how the log is written in keys */
  readonly number: number
  /** 64 random hex digits: the chain at revision 0 */
  readonly lineage: string
  readonly revision: number
  readonly chain: string
  /** first revision whose entry still has its changes; absent: 1. Before it nobody can follow deltas (retention.ts) */
  readonly deltasFrom?: number
  /** first revision whose entry is still there; absent: 1 */
  readonly historyFrom?: number
  /** place in the creation order of the next new object */
  readonly next: number
  /** objects of each kind */
  readonly counts: Readonly<Partial<Record<Kind, number>>>
  /** what the objects take in an image, as of revision `at`: absent or of another revision, it is counted anew (room.ts) */
  readonly image?: ImageSize & { readonly at: number }
}

type Keyed<V> = Database<V, Uint8Array>

export interface Tables {
  readonly root: RootDatabase
  /** `format` and `next_log` */
  readonly meta: Database<string | number, string>
  /** log id → where it stands */
  readonly heads: Database<Head, string>
  /** log, kind, place in the creation order → object; the table of a kind */
  objects(kind: Kind): Keyed<Objects[Kind]>
  readonly objectTables: readonly Keyed<Objects[Kind]>[]
  /** the same table, each object as the JSON that it is stored as */
  texts(kind: Kind): Keyed<string>
  /** log, kind, key → place */
  readonly keys: Keyed<Uint8Array>
  /** log, kind, id → place */
  readonly ids: Keyed<Uint8Array>
  /** log, index, value → places, ascending */
  readonly indexes: Keyed<Uint8Array>
  /** log, revision → chain and entry */
  readonly log: Keyed<Uint8Array>
  /** SHA-256 of the secret of an API key, also of one that died with its environment → its organization */
  readonly hashes: Database<LogId, string>
  /** id of an API key → its sealed secret */
  readonly secrets: Keyed<Uint8Array>
}

/** Nobody else on the machine may read the data. lmdb knows this option, its types do not. */
const FOR_ITS_OWNER = { permissionsMode: 0o600 }

/** How a folder is opened: `create` makes the tables in an empty one. */
export type OpenMode = 'create' | 'write' | 'read'

/**
 * Opens the tables of a folder.
 * @throws DATA_FOREIGN when the folder holds other data or another format; else what LMDB throws
 */
export function openTables(folder: string, mode: OpenMode): Tables {
  const create = mode === 'create'
  const root = open({
    ...FOR_ITS_OWNER,
    path: folder,
    noSubdir: false,
    readOnly: mode === 'read',
    encoding: 'json',
    overlappingSync: false, // visible to readers only when it is on disk
    mapSize: DATA_BYTES_MAX,
    maxDbs: 32,
  })
  const foreign = (got: string | number) => new ZerohopError('DATA_FOREIGN', { path: folder, got, want: FORMAT })
  const table = <V, K extends string | Uint8Array>(name: string, rest: TableOptions): Database<V, K> => {
    const opened = root.openDB<V, K>({ name, create, ...rest } as TableOptions & { name: string }) as
      | Database<V, K>
      | undefined
    if (opened === undefined) throw foreign('unknown')
    return opened
  }
  try {
    const meta: Tables['meta'] = table('meta', { encoding: 'json' })
    if (create) meta.putSync('format', FORMAT)
    const format = meta.get('format')
    if (format !== FORMAT) throw foreign(format ?? 'unknown')
    const keyed = { keyEncoding: 'binary', encoding: 'binary' } as const
    const objectTable = <V>(name: string, encoding: 'json' | 'string'): Keyed<V> => table(name, { ...keyed, encoding })
    const shared = objectTable<Objects[Kind]>('objects', 'json')
    const own = new Map(
      OWN_TABLES.map((kind): [Kind, Keyed<Objects[Kind]>] => [kind, objectTable(`objects_${kind}`, 'json')]),
    )
    const texts = new Map(
      OWN_TABLES.map((kind): [Kind, Keyed<string>] => [kind, objectTable(`objects_${kind}`, 'string')]),
    )
    const sharedTexts = objectTable<string>('objects', 'string')
    return {
      root,
      meta,
      heads: table('heads', { encoding: 'json' }),
      objects: (kind) => own.get(kind) ?? shared,
      objectTables: [shared, ...own.values()],
      texts: (kind) => texts.get(kind) ?? sharedTexts,
      keys: table('keys', keyed),
      ids: table('ids', keyed),
      indexes: table('indexes', { ...keyed, dupSort: true }),
      log: table('log', { ...keyed, compression: { threshold: COMPRESS_BYTES_MIN } }),
      hashes: table('hashes', { encoding: 'string' }),
      secrets: table('secrets', keyed),
    }
  } catch (error) {
    void root.close()
    throw error
  }
}

/**
 * Kinds of which there may be very many have a table of their own, where a new object is the last one: pages that are only appended to
 * fill up, while in the middle of a table each that is split stays half empty.
 */
const OWN_TABLES = ['user', 'membership', 'role_assignment', 'resource_instance', 'relationship_tuple'] as const

/** Bytes of a log entry from which it is compressed: a bulk call writes the same field names a thousand times. */
const COMPRESS_BYTES_MIN = 4_096

/** lmdb knows `create`, its types do not. */
type TableOptions = DatabaseOptions & { readonly create?: boolean }
