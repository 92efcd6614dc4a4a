// The view of a log that does not exist yet: what a new environment is drafted on.

import type { KindName, Objects } from '../kinds/index.ts'
import type { LogId, Position } from '../log/change.ts'
import { ZerohopError } from '../model/errors.ts'
import type { PlacedView, View } from './view.ts'

export class EmptyView implements PlacedView {
  readonly log: LogId
  readonly position: Position = { revision: 0, chain: '' }

  readonly #beside: Pick<View, 'other'> | undefined

  /** @param beside knows the logs that exist */
  constructor(log: LogId, beside?: Pick<View, 'other'>) {
    this.log = log
    this.#beside = beside
  }

  writtenAt(): undefined {
    return undefined
  }

  get(): undefined {
    return undefined
  }

  find(): undefined {
    return undefined
  }

  require<K extends KindName>(kind: K, ref: string, path?: readonly (string | number)[]): Objects[K] {
    throw new ZerohopError('OBJECT_NOT_FOUND', { kind, ref }, path === undefined ? {} : { path })
  }

  refuse(): void {}

  count(): number {
    return 0
  }

  list(): [] {
    return []
  }

  by(): [] {
    return []
  }

  listPlaced(): [] {
    return []
  }

  byPlaced(): [] {
    return []
  }

  countBy(): number {
    return 0
  }

  other(log: LogId): View {
    if (this.#beside !== undefined) return this.#beside.other(log)
    throw new ZerohopError('OBJECT_NOT_FOUND', { kind: 'environment', ref: log })
  }
}
