// In which order test files start. vitest begins with those that took longest in an earlier run; an empty clone knows
// of none and begins with the largest, where some of the longest runs are of files of a few lines: they would end
// alone, on one processor. So the longest are named here.
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Each takes five seconds and more, the longest first: measured with four files at once on two processors. consistency
 * lasts a minute and waits for most of it, and scrub waits for a process of the lowest priority.
 */
export const LONGEST: readonly string[] = [
  'test/replicas/consistency.test.ts',
  'test/store/scrub.test.ts',
  'test/prisma/long-lists.test.ts', // where Prisma is installed
  'test/property/ways.test.ts',
  'test/replicas/replicas.test.ts',
  'test/cli/commands.test.ts',
  'test/bench.test.ts',
  'test/cli/plan.test.ts',
  'test/conformance/ways.test.ts',
  'test/conformance/store.test.ts',
  'test/conformance/http.test.ts',
  'test/conformance/image.test.ts',
  'test/replicas/trimming.test.ts',
  'test/pack.test.ts',
  'test/consumers/bundled.test.ts',
  'test/mutants/mutants.test.ts',
  'test/replicas/outcome.test.ts',
  'test/replicas/failover.test.ts',
  'test/cli/admin.test.ts',
  'test/replicas/story.test.ts',
  'test/migration/journey.test.ts',
  'test/replicas/database-command.test.ts',
  'test/replicas/snapshots.test.ts',
  'test/replicas/lost-snapshots.test.ts',
  'test/replicas/ending.test.ts',
  'test/replicas/access-requests.test.ts',
  'test/crash/access-requests.test.ts',
  'test/crash/decisions.test.ts',
  'test/replicas/away.test.ts',
  'test/migration/shared.test.ts',
  'test/property/kernel.test.ts',
  'test/crash/kill.test.ts',
  'test/property/agreement.test.ts',
  'test/damage/flips.test.ts',
  'test/replicas/decisions.test.ts',
  'test/store/verify.test.ts',
  'test/store/store.test.ts',
  'test/property/canaries.test.ts',
  'test/property/live-ids.test.ts',
  'test/replicas/servers.test.ts',
  'test/replicas/process.test.ts',
  'test/cli/api.test.ts',
  'test/replicas/support.test.ts',
  'test/replicas/decisions-alike.test.ts',
  'test/crash/backup.test.ts',
  'test/client/signatures.test.ts',
  'test/cli/stops.test.ts',
  'test/cli/stopped-writes.test.ts',
  'test/http/states/management.test.ts',
  'test/http/states/pdp.test.ts',
  'test/http/copied-keys.test.ts',
  'test/http/management/bad-input.test.ts',
  'test/integration/demo.test.ts',
  'test/http/at-commit.test.ts',
  'test/http/v1/command.test.ts',
  'test/build.test.ts',
  'test/reference/coverage.test.ts',
  'test/kernel/collisions.test.ts',
  'test/store/open.test.ts',
  'test/http/management/copies.test.ts',
  'test/simulation/simulation.test.ts',
  'test/migration/refusals.test.ts',
  'test/client/image-download.test.ts',
  'test/client/fleet.test.ts',
  'test/client/slow-followers.test.ts',
  'test/cli/workers.test.ts',
  'test/property/listings.test.ts',
  'test/property/snapshot.test.ts',
  'test/cli/unhandled.test.ts',
  'test/store/repair.test.ts',
  'test/property/rest.test.ts',
  'test/migration/undo.test.ts',
  'test/property/edges.test.ts',
  'test/property/definition.test.ts',
  'test/kernel/forged.test.ts',
  'test/kernel/damaged.test.ts',
  'test/clients/wider-key.test.ts',
  'test/client/other-abi.test.ts',
  'test/http/v1/global.test.ts',
  'test/management/damage.test.ts',
  'test/http/management/scope.test.ts',
]

/** The place of a file among the longest, which come first. */
const rankFile = ({ moduleId }: TestSpecification): number => {
  const place = LONGEST.findIndex((file) => moduleId.endsWith(`/${file}`))
  return place < 0 ? LONGEST.length : place
}

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted.toSorted((a, b) => rankFile(a) - rankFile(b))
  }
}
