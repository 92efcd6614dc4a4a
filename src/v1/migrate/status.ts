// The four conditions of the specification under which a migration is complete, each with its evidence. A condition
// without a means to check it is open, not fulfilled.
import { isZerohopError } from '../../model/errors.ts'
import { PDP_API_VERSION_V1 } from '../../model/version.ts'
import type { Api, Hear } from './api-client.ts'
import { AskedPdp, type Question, versionOf, wordsOf } from './checks.ts'
import { scanFolder } from './scan/scan.ts'
import { isWhole, notSearched } from './scan-summary.ts'
import { isListed, requireNames, strangeProjects } from './survey.ts'
import { counted, type Environment, readOrganization } from './world.ts'

export interface Condition {
  readonly condition: string
  readonly holds: boolean
  readonly evidence: readonly string[]
}

export interface StatusOptions {
  readonly ours: readonly string[]
  /** addresses of all running PDPs */
  readonly pdps: readonly string[]
  /** checks with the expected answer of each PDP, and the API key for the PDPs */
  readonly expected: readonly (Question & { readonly allow?: boolean })[]
  readonly pdpKey: string | undefined
  /** folders of code, what to exclude, and further hosts of v1 */
  readonly code: readonly string[]
  readonly ignore: readonly string[]
  readonly hosts: readonly string[]
}

export async function statusOf(api: Api, options: StatusOptions): Promise<Condition[]> {
  return [
    await onlyOurs(api, options),
    await onlyV2(api, options),
    await expectedAnswers(options, api.hear),
    noUses(options),
  ]
}

async function onlyOurs(api: Api, { ours }: StatusOptions): Promise<Condition> {
  const organization = await readOrganization(api)
  requireNames(organization, ours)
  const { environments } = organization
  const foreign = environments.filter((environment) => !isListed(environment, ours)).map(({ name }) => name)
  const strange = strangeProjects(organization, ours)
  return {
    condition: 'every project and environment was created by the team',
    holds: foreign.length + strange.length === 0,
    evidence: [
      `${counted(environments.length, 'environments')}, ${environments.length - foreign.length} of them in the list`,
      ...foreign.map((name) => `${name} is not in the list`),
      ...strange.map((name) => `${name} is an empty project that is not listed`),
    ],
  }
}

async function onlyV2(api: Api, { pdps }: StatusOptions): Promise<Condition> {
  const condition = 'no PDP of v1 runs, and every PDP is of v2'
  const { environments } = await readOrganization(api)
  const evidence = (await Promise.all(environments.map((environment) => followersNotV2(api, environment)))).flat()
  let holds = pdps.length > 0 && evidence.length === 0
  if (pdps.length === 0) evidence.unshift('not shown: name the PDPs with --pdp')
  for (const url of pdps) {
    const { apiVersion, words } = await versionOf(url)
    if (apiVersion === undefined || apiVersion < 2) holds = false
    evidence.push(`${url}: ${words}`)
  }
  return { condition, holds, evidence }
}

/**
 * The PDPs that follow an environment, or lately did, and are not known to be of v2, in words. None where a service
 * keeps no list of PDPs.
 */
async function followersNotV2(api: Api, environment: Environment): Promise<string[]> {
  const found = await api.list(`/v2/pdps/${environment.projectId}/${environment.id}`).catch((error: unknown) => {
    if (isZerohopError(error, 'SERVICE_FAILED') && [404, 405, 501].includes(Number(error.details.status))) return []
    throw error
  })
  return found.flatMap(({ name, api_version: version, connected, last_seen_at: seen }) => {
    if (typeof version === 'number' && version > PDP_API_VERSION_V1) return []
    const who = `${environment.name}: ${typeof name === 'string' ? name : 'a PDP that gives no name'}`
    const since =
      connected === false ? `, not connected, last seen ${seen}: if it has ended, it is listed for an hour` : ''
    return version === PDP_API_VERSION_V1
      ? `${who} is a PDP of v1${since}`
      : `${who} does not say of which version it is: update it${since}`
  })
}

async function expectedAnswers({ pdps, expected, pdpKey }: StatusOptions, hear: Hear): Promise<Condition> {
  const condition = 'checks through each PDP give the expected answers for a user who was moved'
  const known = expected.filter(({ allow }) => allow !== undefined)
  if (pdps.length === 0 || known.length === 0 || pdpKey === undefined) {
    return {
      condition,
      holds: false,
      evidence: [
        'not proven: pass the PDPs with --pdp, their key in PDP_API_KEY, and a file of checks with `allow` with --checks',
      ],
    }
  }
  const evidence: string[] = []
  let holds = true
  for (const url of pdps) {
    const pdp = new AskedPdp(url, pdpKey, 2, hear)
    let wrong = 0
    for (const question of known) {
      const told = await pdp.check(question).catch((error: Error) => error.message)
      if (told === question.allow) continue
      wrong++
      evidence.push(`${url}: ${wordsOf(question)}: expected ${question.allow}, got ${told}`)
    }
    if (wrong > 0) holds = false
    evidence.push(`${url}: ${known.length - wrong} of ${known.length} checks as expected`)
  }
  return { condition, holds, evidence }
}

function noUses({ code, ignore, hosts }: StatusOptions): Condition {
  const condition = 'no code has a /v1/ path or a write call of an old SDK'
  if (code.length === 0) return { condition, holds: false, evidence: ['not proven: pass the folders with --code'] }
  const reports = code.map((path) => ({ path, report: scanFolder(path, { ignore, hosts }) }))
  return {
    condition,
    holds: reports.every(({ report }) => report.findings.length === 0 && isWhole(report)),
    evidence: reports.flatMap(({ path, report }) => [
      `${path}: ${counted(report.findings.length, 'uses')} in ${counted(report.files, 'files')}`,
      ...notSearched(report).map((words) => `${path}: ${words}`),
      ...(isWhole(report)
        ? []
        : [`${path}: files that could not be read may contain uses of v1. If they do not, exclude them with --ignore`]),
      ...report.findings.map(({ file, line, found }) => `${path}/${file}:${line} ${found}`),
    ]),
  }
}
