// The law of a sync: whatever is in the database and whatever people change by hand between, after a run each fact is
// there exactly if a row or a hand says so, and a second run has nothing to do. Held against a model, on random databases.
import { join } from 'node:path'
import fc from 'fast-check'
import Sqlite from 'libsql'
import { createConnection } from 'mysql2/promise'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { withCanary } from '../support/canary.ts'
