// Other versions of the program: what stands in place of the code behind each tag in the sources.
import { DATABASE_FORMAT } from '../../src/store/postgres/migrations.ts'
import type { Canary } from '../support/canary.ts'

export const NEWER = DATABASE_FORMAT + 1

/** What the next version may do: a column with a default, and another table. */
export const NEXT: Canary = {
  'database-format': String(NEWER),
  'database-migrations': (code) => `[...${code}, {
    format: ${NEWER},
    readableFrom: ${DATABASE_FORMAT},
    statements: \`
      ALTER TABLE zerohop.entries ADD COLUMN seal bytea;
      ALTER TABLE zerohop.replicas ADD COLUMN zone text NOT NULL DEFAULT 'here';
      CREATE TABLE zerohop.zones (name text PRIMARY KEY)\`,
  }]`,
}

/** A version from before there were times, or anything else that has a kind of its own. */
export const WITHOUT_TIMES: Canary = { 'newer-kinds': 'continue' }

/** A version from before there were groups. */
export const WITHOUT_GROUPS: Canary = { 'kind-of-groups': '...{}' }
