// The test files that `npm test` leaves to `npm run test:all`, because a run must end within minutes on two processors.
// Each asks in long, in more forms or over more processes what a cheaper test asks too; it is named beside it.
export const SLOW: readonly string[] = [
  'test/bench-run.test.ts', // the stage `bench smoke` of .ci/run
  'test/browser/demo.test.ts', // integration/backend, integration/demo-host
  'test/browser/documents.test.ts', // examples, pdp/filters, pdp/snapshot; browser/react drives a browser too
  'test/browser/reference.test.ts', // http/management/docs
  'test/build.test.ts', // the stage `build` of .ci/run
  'test/cli/api.test.ts', // store/scrub, store/upgrade, management/retention
  'test/cli/opa-port.test.ts', // http/pdp/routes
  'test/cli/tracing.test.ts', // http/request-seconds
  'test/client/image-download.test.ts', // client/feed, http/management/scope
  'test/client/other-abi.test.ts', // client/feed, client/signatures, kernel/damaged
  'test/clients/story.test.ts', // replicas/story, which tells the same at two servers
  'test/clients/two-processes.test.ts', // client/feed, cli/commands, replicas/story
  'test/conformance/http.test.ts', // conformance/image, http/pdp/routes
  'test/conformance/image-forms.test.ts', // conformance/image
  'test/conformance/store-reopened.test.ts', // conformance/image, store/store
  'test/conformance/store.test.ts', // conformance/image, store/store
  'test/console/access-review.test.ts', // http/management/access-review, console/units
  'test/console/conditions.test.ts', // http/management/condition-matches, console/units
  'test/console/decisions.test.ts', // decision-log/stream, console/every-page
  'test/console/environments.test.ts', // cli/copy, http/management/copies, console/history
  'test/console/history.test.ts', // cli/history, console/policy, which reverts too
  'test/console/instances.test.ts', // console/policy, console/units
  'test/console/keys.test.ts', // console/units, management/api-keys, management/pdps
  'test/console/large.test.ts', // console/policy, console/units, http/management/large-user; bench --only console
  'test/console/overview.test.ts', // console/first-minutes, which begins there, management/pdps
  'test/console/policy-file.test.ts', // cli/plan, http/management/plan, console/units
  'test/console/resources.test.ts', // console/units, console/policy, management/resource-roles
  'test/console/shell.test.ts', // console/every-page, console/units
  'test/console/tenants.test.ts', // console/policy, console/units
  'test/console/users.test.ts', // console/policy, console/units
  'test/console/why.test.ts', // console/first-minutes, which asks there, explain/why, http/management/past
  'test/crash/apply.test.ts', // crash/kill
  'test/crash/backup.test.ts', // management/backup, crash/kill
  'test/crash/decisions.test.ts', // decision-log/damage
  'test/damage/flips.test.ts', // kernel/damaged
  'test/http/v1/command.test.ts', // http/v1/global, migration/journey
  'test/integration/demo.test.ts', // integration/backend, integration/demo-host
  'test/kernel/collisions.test.ts', // conformance/image
  'test/kernel/forged.test.ts', // kernel/damaged
  'test/kernel/large.test.ts', // conformance/image: the cases beside each limit
  'test/management/past/past.test.ts', // http/management/past, property/past
  'test/management/plan-images.test.ts', // http/management/plan, cli/plan
  'test/migration/shared.test.ts', // migration/journey
  'test/mutants/mutants.test.ts', // npm run test:mutants
  'test/pack.test.ts', // the stages `release` and `container` of .ci/run; a job of its own in .github/workflows/ci.yml
  'test/prisma/where.test.ts', // npm run test:prisma; filters/prisma
  'test/property/canaries.test.ts', // the laws that its planted defects break
  'test/reference/coverage.test.ts', // conformance/image, which asks the same cases
  'test/replicas/database-command.test.ts', // replicas/setup
  'test/replicas/database-fork.test.ts', // replicas/setup
  'test/replicas/database-tls.test.ts', // replicas/setup
  'test/replicas/decisions-alike.test.ts', // decision-log/audit-index, decision-log/stream
  'test/replicas/decisions.test.ts', // decision-log/stream, decision-log/audit-index
  'test/replicas/failover.test.ts', // replicas/away, replicas/outcome
  'test/replicas/forgotten.test.ts', // management/retention, replicas/snapshots
  'test/replicas/import-damaged.test.ts', // replicas/setup, store/damage
  'test/replicas/lost-snapshots.test.ts', // replicas/snapshots
  'test/replicas/past.test.ts', // http/management/past
  'test/replicas/policy-story.test.ts', // cli/policy-story, which tells the same at a server with a folder; replicas/story
  'test/replicas/pooler.test.ts', // replicas/replicas
  'test/replicas/process.test.ts', // replicas/away, replicas/setup
  'test/replicas/servers.test.ts', // replicas/setup, replicas/away
  'test/replicas/support.test.ts', // all of replicas: what it tests is their database and network
  'test/replicas/trimming.test.ts', // replicas/snapshots
  'test/replicas/versions.test.ts', // replicas/setup
  'test/simulation/simulation.test.ts', // npm run test:simulation
  'test/soak.test.ts', // npm run soak
  'test/store/repair.test.ts', // store/damage, store/checksum
  'test/store/verify.test.ts', // store/checksum, store/damage, store/scrub
]
