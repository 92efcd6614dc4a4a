// The mutants of the kernel, one after another: each is compiled alone and judged. scripts/test-mutants.mjs runs this
// in a thread, which it ends when a mutant takes for ever.
import { createHash } from 'node:crypto'
import { large } from '../support/large.ts'
import { compile, readSources, type Sources } from './compile.ts'
import { corpus, makeScript, type Script } from './corpus.ts'
import { judge } from './judge.ts'
import { listMutations, type Mutation, parseEnums } from './mutations.ts'

/** The files whose every branch bears on decisions. */
export const FILES: readonly string[] = [
  'decide/decide.ts',
  'decide/rbac.ts',
  'decide/conditions.ts',
  'decide/compare.ts',
  'decide/abac.ts',
  'policy/condition-sets.ts',
  'policy/set-rules.ts',
  'decide/required-attributes.ts',
  'policy/equality-tests.ts',
  'policy/set-rule-index.ts',
  'decide/candidates.ts',
  'decide/rebac.ts',
  'policy/relations.ts',
  'policy/grants.ts',
  'policy/times.ts',
  'policy/suspensions.ts',
  'policy/everybody.ts',
  'decide/role-sides.ts',
  'policy/role-sides.ts',
  'memory/values.ts',
  'policy/attribute-paths.ts',
  'decide/instants.ts',
  'decide/attributes.ts',
  'policy/memberships.ts',
  'policy/roles.ts',
  'memory/bitset.ts',
  'policy/permissions.ts',
  'memory/symbols.ts',
  'memory/table.ts',
]

/**
 * Functions that no decision runs: they build, edit, list or verify the image, and what they do wrong is a broken
 * image, not a wrong branch of a decision. Mutated only with everything else.
 */
export const NOT_DECIDING: Readonly<Record<string, readonly string[]>> = {
  'policy/condition-sets.ts': ['define', 'setParent', 'undefine', 'deleteSet'],
  'policy/set-rules.ts': ['addSetRule', 'removeSetRule', 'deleteSetRule', 'deletePermissionSetRules'],
  'policy/equality-tests.ts': [
    'pathOfTest',
    'hashOfTest',
    'findTests',
    'addStep',
    'addTest',
    'comesBehind',
    'setTests',
    'testsBytes',
    'gatherTests',
  ],
  'policy/set-rule-index.ts': [
    'sideHash',
    'findSide',
    'addToSide',
    'takeFromSide',
    'isSet',
    'setAbove',
    'clearAbove',
    'moveSides',
    'place',
    'groupHash',
    'indexesAddress',
    'findIndex',
    'hasPaths',
    'isFull',
    'addIndex',
    'joinGroup',
    'leaveGroup',
  ],
  'memory/lists.ts': ['link', 'unlink'],
  'policy/relations.ts': [
    'putInstance',
    'deleteInstance',
    'tupleHash',
    'findTupleStored',
    'tupleBytes',
    'relate',
    'isAtTimes',
    'createTuple',
    'unrelate',
    'deleteTuple',
    'use',
    'disuse',
    'setRoleType',
    'clearRules',
    'addRule',
    'clearSources',
    'unlinkFromTarget',
  ],
  'policy/grants.ts': [
    'assign',
    'unassign',
    'putGrant',
    'createGrant',
    'setRoles',
    'createTimed',
    'deleteGrant',
    'roleCountStored',
    'copyPlain',
    'copyTimed',
    'findIndex',
    'findSlot',
    'insertTimed',
    'setTimes',
    'removeSlot',
    'holdRoles',
    'findSet',
    'sameRoles',
    'dropRoles',
    'deletePartyGrants',
  ],
  'policy/suspensions.ts': ['suspensionHash', 'suspend', 'resume', 'countTimed'],
  'policy/everybody.ts': ['putEverybody', 'dropEverybody', 'hasKeyOfEverybody'],
  'policy/role-sides.ts': ['addRoleSide', 'removeRoleSide', 'keepRoleAsSet'],
  'memory/values.ts': [
    'compositeBytes',
    'internText',
    'internBytes',
    'findText',
    'dropText',
    'keep',
    'copyHeader',
    'discard',
    'setAttributes',
  ],
  'policy/attribute-paths.ts': ['putPath', 'splitNames', 'namesBytes', 'usePath', 'disusePath', 'isGenerated'],
  'policy/memberships.ts': ['join', 'leave', 'deleteMember', 'deletePartyMembers'],
  'policy/roles.ts': [
    'ownRow',
    'clearPermissions',
    'addPermissions',
    'setParents',
    'unlinkFromParent',
    'refresh',
    'recompute',
    'recomputePage',
    'deleteRole',
    'unlinkFromChild',
    'withdraw',
    'addParent',
  ],
  'memory/bitset.ts': ['setBit', 'clearBit', 'dropPageIfEmpty', 'isEmptyPage', 'clearRow'],
  'policy/permissions.ts': ['putPermission', 'enter', 'countHolder'],
  'policy/deletions.ts': ['deletePermission', 'deleteResource'],
  'memory/symbols.ts': ['counterField', 'intern', 'tombstone', 'symbolBytes'],
  'memory/table.ts': [
    'firstEntry',
    'nextEntry',
    'entryRecord',
    'hashOfEntry',
    'entryFrom',
    'createTable',
    'bucketByIndex',
    'bucketCount',
    'insert',
    'append',
    'remove',
    'split',
    'redistribute',
    'addSegment',
    'cut',
  ],
}

/**
 * A branch turned round, its comparison or connection exchanged; an opcode, kind, source, type or verdict exchanged
 * with the next.
 */
const BRANCHES = /^(negated|(===|!==|<|<=|>|>=|&&|\|\|) to .*|true to false|false to true|[A-Z]\w* to [A-Z]\w*)$/

/** Is it an opcode or a branch of a decision? The others are tried with `--all`. */
export function isDeciding({ file, within, kind }: Pick<Mutant, 'file' | 'within' | 'kind'>): boolean {
  return BRANCHES.test(kind) && within !== '' && NOT_DECIDING[file]?.includes(within) !== true
}

export interface Mutant extends Mutation {
  readonly file: string
  /** from 1 */
  readonly line: number
  /** the line as it stands, without space around it */
  readonly at: string
  /** the function around it; empty outside of any */
  readonly within: string
}

export type Fate =
  /** a case, or the compiler's bytes, showed it */
  | { readonly fate: 'caught'; readonly by: string }
  | { readonly fate: 'survived' }
  /** not a kernel, or the very same one: it counts for nothing */
  | { readonly fate: 'refused' | 'same' }

export function listMutants(sources: Sources, files: readonly string[]): Mutant[] {
  const enums = parseEnums(`${sources.get('abi.ts')!}${sources.get('limits.ts')!}`)
  return files.flatMap((file) => {
    const text = sources.get(file)
    if (text === undefined) throw new Error(`assembly/${file} does not exist`)
    return listMutations(text, enums).map((mutation): Mutant => {
      const before = text.slice(0, mutation.start)
      const line = before.split('\n').length
      const at = text.split('\n')[line - 1]!.trim()
      const [, within = ''] = [...before.matchAll(/^(?:export )?function (\w+)|^\}/gm)].at(-1) ?? []
      return { ...mutation, file, line, at, within }
    })
  })
}

/** Judges kernels, and remembers those that it has seen. */
export class Court {
  readonly #root: URL
  readonly #sources: Sources
  readonly #scripts: readonly Script[]
  /** asked of mutants of some files alone, and of no kernel twice: each takes seconds */
  readonly #large: readonly { readonly files: readonly string[]; readonly script: Script }[]
  readonly #known = new Map<string, Fate>()

  constructor(root: URL, checks: number, seed: number) {
    this.#root = root
    this.#sources = readSources(root)
    this.#scripts = corpus(root, checks, seed)
    this.#large = large().map(({ name, files, steps }) => ({
      files,
      script: { ...makeScript(name, steps), isLarge: true },
    }))
  }

  /** What nothing was changed in must be found right. @throws when it is not */
  async acquit(): Promise<void> {
    const bytes = await compile(this.#root, this.#sources)
    if (typeof bytes === 'string') throw new Error(bytes)
    const scripts = [...this.#scripts, ...this.#large.map(({ script }) => script)]
    const found = judge(new WebAssembly.Module(bytes), scripts)
    if (found !== undefined) throw new Error(`the kernel without a mutation fails: ${found}`)
    this.#known.set(computeDigest(bytes), { fate: 'same' })
  }

  async try({ file, start, end, text }: Pick<Mutant, 'file' | 'start' | 'end' | 'text'>): Promise<Fate> {
    const source = this.#sources.get(file)!
    const mutated = `${source.slice(0, start)}${text}${source.slice(end)}`
    const bytes = await compile(this.#root, new Map([...this.#sources, [file, mutated]]))
    if (typeof bytes === 'string') return { fate: 'refused' }
    const digest = computeDigest(bytes)
    const fate = this.#known.get(digest) ?? this.#judged(bytes, file)
    this.#known.set(digest, fate)
    return fate
  }

  #judged(bytes: Uint8Array<ArrayBuffer>, file: string): Fate {
    try {
      const kernel = new WebAssembly.Module(bytes)
      const about = this.#large.filter(({ files }) => files.includes(file)).map(({ script }) => script)
      const by = judge(kernel, this.#scripts) ?? (about.length === 0 ? undefined : judge(kernel, about))
      return by === undefined ? { fate: 'survived' } : { fate: 'caught', by }
    } catch (error) {
      return { fate: 'caught', by: `not a module: ${(error as Error).message}` }
    }
  }
}

const computeDigest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
