// What a kind of stored object is, as data: its number on disk, its indexes, what decisions read of it, and how policy
// files hold it. Every layer has one interpreter of it: src/store (keys, tables, indexes), src/log (deltas) and
// src/management/rules/kinds-in-files.ts. Nothing here holds a schema, a view or LMDB, because the library loads all of
// it.
import type { Stored } from '../model/objects.ts'
import type { FactKind, PolicyKind } from '../model/policy-kinds.ts'
import type { Fields } from './fields.ts'

/** A put of one object in a delta: its kind, its key and what decisions read of it. */
export interface PutOf<K extends string, P> {
  readonly op: 'put'
  readonly kind: K
  readonly key: string
  readonly value: P
}

/** What decisions read of an object, and how it is sent (docs/feed.md). */
export interface Projection<K extends string, T, P> {
  /** number of the kind in deltas; never reused for another kind */
  readonly code: number
  /**
   * The codes of puts that only newer readers may take, each for those objects that `isNeeded` selects, and the first that
   * does: an older reader refuses it, while it would pass over a field that it does not know, and so make what ends permanent
   * (D15), or answer for who is suspended (D16).
   */
  readonly newer?: readonly { readonly code: number; readonly isNeeded: (value: P) => boolean }[]
  /** The part that decisions depend on; undefined when they do not depend on this object. */
  readonly project: (object: T) => P | undefined
  /** The fields of a put, without names and without its code. */
  readonly write: (value: P, key: string) => unknown[]
  /** The put with these fields; the first is the code. @throws FRAME_INVALID */
  readonly read: (fields: readonly unknown[]) => PutOf<K, P>
}

/** Lists the objects of a kind under values that the object itself names. */
export type IndexValues<T> = (object: T) => readonly string[]

/**
 * What a search in lists looks at, for kinds that may have very many objects: kept beside the objects, so that a search
 * reads none of them (src/store/search-texts.ts).
 */
export interface SearchTexts<T> {
  /** what is searched for is a part of one of these, in any letter case */
  readonly texts: (object: T) => readonly (string | null)[]
  /** what filters compare beside a search, exactly and in this order */
  readonly exact: (object: T) => readonly string[]
}

/** How policy files hold the objects of a kind. */
export interface InFiles {
  /** the list of the file, or of a part the map in its resource type */
  readonly section: string
  /** users and data of the application, which a file owns only when `manages` says so */
  readonly isFact: boolean
  /** `own`: chosen by people. `part`: `resource/part`. `connects`: made of what the object connects. */
  readonly key: 'own' | 'part' | 'connects'
}

/** What older versions do not know, and must refuse instead of passing over it. */
export type Feature =
  | 'times'
  | 'suspension'
  | 'role_sets'
  | 'everybody'
  | 'by_tenant'
  | 'requirements'
  | 'requests'
  | 'tenant_roles'
  | 'syncs'
  | 'claims'
  | 'directory'

/**
 * One kind of stored object. `T` is the stored object, `P` what decisions read of it: `never` when they read nothing.
 */
export interface Kind<K extends string, T extends Stored, P = never> {
  /** in keys on disk; never reused for another kind */
  readonly number: number
  /**
   * For kinds some of whose objects older versions would misread: the numbers of those in snapshots, instead of the other
   * one, by the feature that they have. Older versions do not know these numbers (src/store/newer-kinds.ts).
   */
  readonly newerNumbers?: { readonly [F in Feature]?: number }
  /** Fields, for those kinds whose fields are a table: in the order in which answers and files have them. */
  readonly fields?: Fields
  /** Objects are looked up by id. */
  readonly hasIds: boolean
  /**
   * There may be very many, so they have a table of their own, where a new object is always the last one: pages that
   * are only appended to fill up, while pages split in the middle of a table stay half empty.
   */
  readonly hasOwnTable: boolean
  /** The name of an index is part of its keys: renaming one changes the disk format. */
  readonly indexes: { readonly [name: string]: IndexValues<T> }
  /** What is kept of an object for it changes the disk format. */
  readonly search?: SearchTexts<T>
  readonly projection: [P] extends [never] ? null : Projection<K, T, P>
  /** null: no policy file holds objects of this kind. Which kinds files hold is said in src/model/policy-kinds.ts. */
  readonly inFiles: K extends PolicyKind ? InFiles & { readonly isFact: K extends FactKind ? true : false } : null
}

/**
 * The value under which an index lists every object of its kind: skipping to a deep page reads six bytes for each row
 * instead of the object.
 */
export const EVERY = '*'
export const every = (): readonly string[] => [EVERY]

/** The resource type of `type:key`. */
export const typeOfInstance = (instance: string): string => instance.slice(0, instance.indexOf(':'))

/** A key of a role: of a tenant role its own, of a role on instances `resource/role`. */
export const roleKeyIn = (role: string, instance: string | null): string =>
  instance === null ? role : `${typeOfInstance(instance)}/${role}`
