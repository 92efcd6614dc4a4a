// What the main thread and the writer thread say to each other.
import type { MessagePort } from 'node:worker_threads'
import type { LogId, Position } from '../log/change.ts'
import type { Failure } from '../threads/failure.ts'
import type { Answer } from './batch.ts'
import type { Job } from './job.ts'
import type { DatabaseSettings, PlacedSighting, UpkeepEvent } from './settings.ts'
import type { Retention, Trimmed } from './trim.ts'

/** The settings that a replica gets at its start. */
export interface ReplicaSettings extends DatabaseSettings {
  /** id of this replica, a UUID */
  readonly replica: string
  /** version of this program */
  readonly version: string
}

/** The data that the main thread passes at the start. */
export interface ThreadData {
  readonly folder: string
  readonly secretsKey: Uint8Array
  /** the largest image of one environment in bytes; by default the limit of the image format */
  readonly imageBytesMax?: number
  /** the log of record is in this database, and the folder is a cache; without it the folder is the truth */
  readonly replica?: ReplicaSettings
}

/** What only a replica can answer. */
export type Question =
  /** when everything that is on record now is in the state */
  | { readonly about: 'record' }
  | { readonly about: 'task'; readonly id: string }
  | { readonly about: 'new task'; readonly id: string; readonly environment: string }
  | { readonly about: 'failed task'; readonly id: string; readonly error: string }
  /** what the other replicas see */
  | { readonly about: 'pdps'; readonly environment: LogId }
  | { readonly about: 'seen pdps'; readonly sightings: readonly PlacedSighting[] }

export type ToThread =
  | { readonly kind: 'batch'; readonly batch: number; readonly jobs: readonly Job[] }
  | { readonly kind: 'maintain'; readonly retention: Retention }
  | { readonly kind: 'ask'; readonly id: number; readonly question: Question }
  | { readonly kind: 'pause'; readonly pause: Pause }
  | { readonly kind: 'close' }

/**
 * Holds the thread still, between two transactions: the thread says `paused` and blocks until the number at 0 of the
 * shared memory is not 0.
 */
export type Pause = Int32Array<SharedArrayBuffer>

/** Replies to some jobs of a batch; without `places` to all. */
export type Replies = Answer & {
  readonly kind: 'replies'
  readonly batch: number
  readonly places?: readonly number[]
  readonly seconds: number
}

export type FromThread =
  | { readonly kind: 'ready' }
  /** the thread cannot begin */
  | { readonly kind: 'failed'; readonly failure: Failure }
  | { readonly kind: 'trimmed'; readonly trimmed: Trimmed }
  | { readonly kind: 'moved'; readonly moved: readonly (readonly [LogId, Position])[] }
  | { readonly kind: 'answer'; readonly id: number; readonly answer: unknown }
  | { readonly kind: 'failure'; readonly id: number; readonly failure: Failure }
  /** what is left of the batch waits for others: the next one may come */
  | { readonly kind: 'passed'; readonly batch: number }
  | { readonly kind: 'trouble'; readonly failure: Failure | undefined }
  | { readonly kind: 'paused' }
  /** a replica has everything that was on record so many milliseconds ago */
  | { readonly kind: 'caught up'; readonly agoMs: number }
  | { readonly kind: 'upkeep'; readonly upkeep: UpkeepEvent }
  | Replies

/** Says that the thread is paused, and blocks it until the main thread ends the pause. */
export function waitPaused(port: MessagePort, pause: Pause): void {
  port.postMessage({ kind: 'paused' } satisfies FromThread)
  Atomics.wait(pause, 0, 0)
}
