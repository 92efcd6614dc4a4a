// The rules that a linter cannot hold, each a function from the files of the repository to what is wrong with them.
// A finding names the file, the line and the mend. Each rule has an example in test/tidy.test.ts that it must catch.

import { posix } from 'node:path'
import { findTooMany, readLimits } from '../wording/counts.ts'
import { findInSource, LIMITS } from './language.ts'
import type { Import, SourceFile } from './source.ts'
import { lineAt } from './source.ts'

export interface Finding {
  readonly path: string
  readonly line: number
  readonly mend: string
}

interface Part {
  readonly name: string
  readonly files: RegExp
}

/**
 * The floors of docs/architecture.md, lowest first. A file belongs to the highest part that names it. It imports from
 * its own part and from lower floors; parts of one floor never import each other.
 */
const FLOORS: readonly (readonly Part[])[] = [
  [
    { name: 'assembly/abi.ts', files: /^assembly\/abi\.ts$/ },
    { name: 'assembly/limits.ts', files: /^assembly\/limits\.ts$/ },
    { name: 'build/kernel.ts', files: /^build\/kernel\.ts$/ },
    { name: 'build/management-api.ts', files: /^build\/management-api\.ts$/ },
  ],
  [{ name: 'src/model', files: /^src\/model\// }],
  [{ name: 'src/kinds', files: /^src\/kinds\// }],
  [
    { name: 'src/log', files: /^src\/log\// },
    { name: 'src/filters', files: /^src\/filters\// },
    { name: 'src/threads', files: /^src\/threads\// },
  ],
  [{ name: 'src/kernel', files: /^src\/kernel\// }],
  [
    { name: 'src/store', files: /^src\/store\// },
    { name: 'src/image', files: /^src\/image\// },
    { name: 'src/client', files: /^src\/client\// },
  ],
  [{ name: 'schemas of the API', files: /^src\/management\/schemas\/|^src\/decision-log\/schema\.ts$/ }],
  [
    { name: 'src/pdp', files: /^src\/pdp\// },
    { name: 'src/management/rules', files: /^src\/management\/rules\// },
    { name: 'src/management/directory', files: /^src\/management\/directory\// },
    { name: 'src/management/snapshot', files: /^src\/management\/snapshot\// },
    { name: 'src/management/history', files: /^src\/management\/history\// },
    { name: 'src/decision-log', files: /^src\/decision-log\/(?!schema\.ts$)/ },
    { name: 'src/browser', files: /^src\/browser\// },
    { name: 'src/oidc', files: /^src\/oidc\// },
  ],
  [
    { name: 'src/management/objects', files: /^src\/management\/objects\// },
    { name: 'src/management/feed', files: /^src\/management\/feed\// },
    { name: 'src/management/last-used', files: /^src\/management\/last-used\// },
  ],
  [{ name: 'src/management/policy-file', files: /^src\/management\/policy-file\// }],
  [{ name: 'src/management/differences', files: /^src\/management\/differences\// }],
  [{ name: 'src/management/revert', files: /^src\/management\/revert\// }],
  [{ name: 'src/management/plan', files: /^src\/management\/plan\// }],
  [{ name: 'src/management/past', files: /^src\/management\/past\// }],
  [{ name: 'src/management/access-review', files: /^src\/management\/access-review\// }],
  [{ name: 'use cases and migration of src/v1', files: /^src\/v1\/(use-cases|migrate)\// }],
  [{ name: 'src/management/host', files: /^src\/management\/host\// }],
  [
    { name: 'src/policy-test', files: /^src\/policy-test\// },
    { name: 'src/shadow', files: /^src\/shadow\// },
  ],
  [
    { name: 'src/importers', files: /^src\/importers\// },
    { name: 'src/sync', files: /^src\/sync\// },
  ],
  [
    { name: 'src/http', files: /^src\/http\// },
    { name: 'src/middleware', files: /^src\/middleware\// },
  ],
  [
    { name: 'routes', files: /^src\/http\/management\/|^src\/v1\/(routes|pdp)\// },
    { name: 'src/integration', files: /^src\/integration\// },
  ],
  [{ name: 'servers', files: /^src\/http\/apps\// }],
  [{ name: 'doors', files: /^src\/\w+\.ts$/ }],
  [{ name: 'src/cli', files: /^src\/cli\// }],
  [{ name: 'src/v1/migrate/commands', files: /^src\/v1\/migrate\/commands\// }],
  [{ name: 'src/cli/commands', files: /^src\/cli\/(commands\/|zerohop\.ts$)/ }],
]

const PARTS = FLOORS.flatMap((parts, floor) => parts.map((part) => ({ ...part, floor })))
const findPart = (path: string) => PARTS.findLast(({ files }) => files.test(path))

/** Where the layout of an image is known on the host. */
const LAYOUT_HOMES = /^src\/(kernel|image\/records)\//

/** Imports go down only. */
function layers(files: readonly SourceFile[]): Finding[] {
  return eachImport(files, (file, { target, line }) => {
    if (!file.path.startsWith('src/') || target === undefined) return undefined
    const from = findPart(file.path)
    const to = findPart(target)
    if (from === undefined)
      return { line, mend: `${file.path} belongs to no floor: move it, or add its folder in test/tidy/rules.ts` }
    if (to === undefined || (to.name === 'build/kernel.ts' && from.name !== 'src/kernel'))
      return { line, mend: `${from.name} must not import ${target}` }
    if (to.name === 'assembly/abi.ts' && !LAYOUT_HOMES.test(file.path))
      return { line, mend: 'only src/kernel and src/image/records know where a field lies: use a function of theirs' }
    if (from === to || to.floor < from.floor) return undefined
    const where = to.floor === from.floor ? 'lies on the same floor' : 'lies above'
    return { line, mend: `${target} (${to.name}) ${where}: move what both need to a lower floor, or pass it in` }
  })
}

/**
 * Folders of src that import each other in a circle, which may only leave this list: `image` holds its own public face
 * beside what that face is made of; what reads bodies (`http/intake`) needs the hooks of its servers.
 */
const KNOTS: readonly (readonly string[])[] = [
  [
    'src/image',
    'src/image/build',
    'src/image/decide',
    'src/image/explain',
    'src/image/filter',
    'src/image/list',
    'src/image/update',
  ],
  ['src/http', 'src/http/intake'],
]

/** Folders of src are rooms: none imports, over however many others, what imports it. Types count. */
function rooms(files: readonly SourceFile[]): Finding[] {
  const arrows = new Map<string, Map<string, Finding>>()
  for (const { path, imports } of files) {
    for (const { target, line } of imports) {
      if (!path.startsWith('src/') || !target?.startsWith('src/')) continue
      const [from, to] = [posix.dirname(path), posix.dirname(target)]
      if (from === to) continue
      const mend = `${from} and ${to} import each other: move what both need to a folder below them`
      const leaving = arrows.get(from) ?? new Map<string, Finding>()
      arrows.set(from, leaving)
      if (!leaving.has(to)) leaving.set(to, { path, line, mend })
    }
  }
  const knots = findKnots(arrows)
  const stale = KNOTS.filter(
    (known) =>
      known.every((folder) => files.some(({ path }) => posix.dirname(path) === folder)) &&
      !knots.some((knot) => known.every((folder) => knot.includes(folder))),
  )
  return [
    ...stale.map((known) => ({ path: known[0]!, line: 1, mend: 'the knot is gone: take it out of KNOTS' })),
    ...knots
      .filter((knot) => !KNOTS.some((known) => knot.every((folder) => known.includes(folder))))
      .flatMap((knot) =>
        knot.flatMap((from) => [...(arrows.get(from) ?? [])].filter(([to]) => knot.includes(to)).map(([, at]) => at)),
      ),
  ]
}

/** Groups of more than one folder in which each reaches each other (Tarjan). */
function findKnots(arrows: ReadonlyMap<string, ReadonlyMap<string, unknown>>): string[][] {
  const numbers = new Map<string, number>()
  const stack: string[] = []
  const knots: string[][] = []
  const visit = (folder: string): number => {
    let low = numbers.size
    numbers.set(folder, low)
    stack.push(folder)
    const own = low
    for (const next of arrows.get(folder)?.keys() ?? []) {
      if (!numbers.has(next)) low = Math.min(low, visit(next))
      else if (stack.includes(next)) low = Math.min(low, numbers.get(next)!)
    }
    if (low === own) {
      const knot = stack.splice(stack.indexOf(folder))
      if (knot.length > 1) knots.push(knot.sort())
    }
    return low
  }
  for (const folder of arrows.keys()) if (!numbers.has(folder)) visit(folder)
  return knots
}

/**
 * Only what mounts the first API version imports it, and the access to its one environment of global objects: deleting
 * src/v1 ends it.
 */
function firstVersion(files: readonly SourceFile[]): Finding[] {
  const mounts =
    /^src\/(v1\/|server\.ts|cli\/|management\/host\/registry\.ts|http\/(management\/auth|apps\/[\w-]+)\.ts)/
  return eachImport(files, ({ path }, { target, line }) =>
    !path.startsWith('src/') || !target?.startsWith('src/v1/') || mounts.test(path)
      ? undefined
      : { line, mend: `only what mounts the first API version imports ${target}` },
  )
}

/** Who may import a package: the folder that hides it from the rest. */
const PACKAGES: readonly { readonly name: RegExp; readonly only: RegExp; readonly where: string }[] = [
  { name: /^lmdb(\/|$)/, only: /^src\/store\/lmdb\.ts$/, where: 'src/store/lmdb.ts' },
  {
    name: /^pg(\/|$)/,
    only: /^src\/(store\/postgres\/|sync\/sources\/)/,
    where: 'src/store/postgres or src/sync/sources',
  },
  { name: /^mysql2(\/|$)/, only: /^src\/sync\/sources\//, where: 'src/sync/sources' },
  { name: /^node-gyp-build(\/|$)/, only: /^src\/store\//, where: 'src/store' },
  {
    name: /^(fastify|@fastify\/.*)$/,
    only: /^src\/(http|integration)\/|^src\/middleware\/fastify\.ts$|^src\/v1\/(routes|pdp)\//,
    where: 'src/http, src/integration, src/middleware/fastify.ts or src/v1',
  },
  { name: /^re2js$/, only: /^src\/model\/url-rules\.ts$/, where: 'src/model/url-rules.ts' },
  { name: /^aws-jwt-verify(\/.*)?$/, only: /^src\/integration\//, where: 'src/integration' },
  {
    name: /^jose$/,
    only: /^src\/(oidc|integration|http\/console)\//,
    where: 'src/oidc, src/integration or src/http/console',
  },
  { name: /^openid-client$/, only: /^src\/http\/console\//, where: 'src/http/console' },
  { name: /^prom-client$/, only: /^src\/http\//, where: 'src/http' },
  {
    name: /^@opentelemetry\//,
    only: /^src\/cli\/process\/start-tracing\.ts$/,
    where: 'src/cli/process/start-tracing.ts',
  },
  { name: /^openapi-fetch$/, only: /^src\/client\//, where: 'src/client' },
  { name: /^react$/, only: /^src\/browser\/react\//, where: 'src/browser/react' },
  { name: /^commander$/, only: /^src\/(cli|v1\/migrate\/commands)\//, where: 'src/cli or src/v1/migrate/commands' },
]

/** A package is used only where its folder is. Types count: a signature that names a package spreads it. */
function packages(files: readonly SourceFile[]): Finding[] {
  return eachImport(files, (file, { specifier, line }) => {
    if (!file.path.startsWith('src/')) return undefined
    const rule = PACKAGES.find(({ name }) => name.test(specifier))
    if (rule === undefined || rule.only.test(file.path)) return undefined
    return { line, mend: `only ${rule.where} imports ${specifier}: give it an interface there and use that` }
  })
}

interface WordRule {
  readonly word: RegExp
  /** paths the rule is about */
  readonly about: RegExp
  /** paths where the word is at home */
  readonly home: RegExp
  readonly mend: string
}

/**
 * Processes, HTTP and doors; the writer's clock and mint, the lock of the folder, the sealing of secrets; the age of
 * files, the expiry of snapshots and of filters; the sample of a shadow run; records of decisions in an application; the
 * nonces of a follower, the keys of the writes of a client; what runs in a browser.
 */
const BORDER =
  /^src\/((cli|http|integration|browser|v1\/(routes|pdp|migrate\/commands))\/|(embedded|server|shadow|filters\/form|pdp\/(connect|decision-sender|last-image|snapshot|taking|answering)|management\/snapshot\/snapshot-file|model\/moment|client\/(http-feed|repeated-writes)|decision-log\/(database-)?audit-thread|store\/(batch|writer-thread|lock|secrets|postgres\/replica-writer))\.ts$)/

const WORDS: readonly WordRule[] = [
  { word: /\bWebAssembly\b/, about: /^src\//, home: /^src\/kernel\//, mend: 'only src/kernel uses WebAssembly' },
  {
    word: /\bprocess\.env\b/,
    about: /^src\//,
    home: /^src\/cli\/configuration\/env\.ts$/,
    mend: 'only src/cli/configuration/env.ts reads process.env: take an option instead',
  },
  {
    word: /\bmkdir(Sync)?\([^\n]*\brecursive: true/,
    about: /^src\//,
    home: /^$/,
    mend: 'a recursive mkdir may never end: use makeFolder of src/model/folder.ts',
  },
  {
    word: /\bprocess\.(exit|abort)\b/,
    about: /^src\//,
    home: /^src\/(cli|v1\/migrate\/commands)\//,
    mend: 'only src/cli ends the process: throw a ZerohopError instead',
  },
  {
    word: /\bDate\.now\b|\bnew Date\(\)|\bperformance\.timeOrigin\b/,
    about: /^src\//,
    home: BORDER,
    mend: 'time comes in as data: take it as an argument from the border',
  },
  {
    word: /\bMath\.random\b|\brandom(Bytes|UUID|Int|FillSync|Fill)\b|\bgetRandomValues\b/,
    about: /^src\//,
    home: BORDER,
    mend: 'randomness comes in as data: use the Mint, or an argument from the border',
  },
  {
    word: /\.word\(|\bkernel\.words\b/,
    about: /^src\//,
    home: LAYOUT_HOMES,
    mend: 'only src/kernel and src/image/records read memory: use or add a function of src/image/records',
  },
  {
    word: /\bcalls\.find(Permission)?\((?!\()/,
    about: /^src\//,
    home: /^src\/image\/look-up\.ts$/,
    mend: 'only src/image/look-up.ts turns a key into an id: use it, so that nothing dead is found',
  },
  {
    word: /\bcalls\.list(Ordered|Bucket)\b/,
    about: /^src\//,
    home: /^src\/image\/records\/tables\.ts$/,
    mend: 'these have what is dead too: use `records` or `inOrder` of src/image/records/tables.ts',
  },
  {
    word: /\bcalls\.put(Permission|Instance|Path)?\b/,
    about: /^src\//,
    home: /^src\/image\/(build\/|update\/apply\.ts$|documents\.ts$)/,
    mend: 'this makes the key live: only what stores an object does; look-up.ts finds its id',
  },
  {
    word: /\b(Pair)?Lookaside\b/,
    about: /^src\//,
    home: /^src\/image\/(live-ids|decide\/lookaside)\.ts$/,
    mend: 'ids are kept by src/image/live-ids.ts alone, which lets go of those that a delta ends',
  },
  {
    word: /\bnew pg\.(Client|Pool)\b/,
    about: /^test\//,
    home: /^test\/support\/postgres\.ts$/,
    mend: 'take `connectTo` or `openPool` of test/support/postgres.ts: a server that stops would end the process',
  },
  { word: /@ts-ignore|@ts-nocheck/, about: /\.ts$/, home: /^test\/tidy/, mend: 'say what the type is instead' },
]

/** A word that only its home may use. Comments and strings do not count, except for compiler directives. */
function words(files: readonly SourceFile[]): Finding[] {
  return files.flatMap((file) =>
    WORDS.filter(({ about, home }) => about.test(file.path) && !home.test(file.path)).flatMap(({ word, mend }) =>
      find(file, word.source.startsWith('@') ? file.comments : file.code, word).map((line) => ({
        path: file.path,
        line,
        mend,
      })),
    ),
  )
}

/** A file is named after the noun that it holds. */
function names(files: readonly SourceFile[]): Finding[] {
  const vague = /(^|\/)(utils?|helpers?|common|misc|stuff)(\/|\.\w+$)|(^|\/)types\//
  return files
    .filter(({ path }) => vague.test(path))
    .map(({ path }) => ({
      path,
      line: 1,
      mend: 'name it after the one noun that lives here, or move each part to where it is used',
    }))
}

/** A test that does not run says why, in a comment on its line or on the line above. */
function skips(files: readonly SourceFile[]): Finding[] {
  return files
    .filter(({ path }) => path.startsWith('test/'))
    .flatMap((file) => [
      ...find(file, file.code, /\b(it|test|describe|suite|bench)\.only\b/).map((line) => ({
        path: file.path,
        line,
        mend: 'remove .only: the other tests do not run',
      })),
      ...find(file, file.code, /\.(skip|skipIf|runIf|todo|fails)\s*\(/)
        .filter((line) => !commented(file, line))
        .map((line) => ({
          path: file.path,
          line,
          mend: 'say in a comment on this line, or on the one above, why the test does not run',
        })),
    ])
}

/** A note to come back names the issue that will. */
function notes(files: readonly SourceFile[]): Finding[] {
  return files
    .filter(({ path }) => /\.(ts|mjs|js)$/.test(path))
    .flatMap((file) =>
      find(file, file.comments, /\b(TODO|FIXME|XXX|HACK)\b(?!\(#\d+\))/).map((line) => ({
        path: file.path,
        line,
        mend: 'do it now, or name the issue: TODO(#12)',
      })),
    )
}

/** Nothing in the repository knows the machine it was written on, or the registry its packages came from. */
function machines(files: readonly SourceFile[]): Finding[] {
  const path = /(?<![\w.~-])\/(work|home|root|Users|tmp\/bash_jobs)\/[\w.]|\b[A-Z]:\\Users\\/
  const host = /\bregistry\.[\w-]+\.[\w.]+|\b(npm|packages?)\.pkg\.[\w.]+|"resolved":/
  return files
    .filter((file) => !file.path.startsWith('test/tidy'))
    .flatMap((file) => [
      ...find(file, file.text, path).map((line) => ({
        path: file.path,
        line,
        mend: 'remove the machine path: use one relative to the repository',
      })),
      ...find(file, file.text, host).map((line) => ({
        path: file.path,
        line,
        mend: 'remove the registry host: npm knows which one to use',
      })),
    ])
}

/** What a killed process left is found only where one file makes it. */
function temporaryFolders(files: readonly SourceFile[]): Finding[] {
  return files
    .filter(({ path }) => path.startsWith('src/') && path !== 'src/store/temporary-folder.ts')
    .flatMap((file) =>
      find(file, file.code, /\bmkdtemp/).map((line) => ({
        path: file.path,
        line,
        mend: 'use makeTemporaryFolder of src/store/temporary-folder.ts: a folder of a killed process is removed later',
      })),
    )
}

/** A file says what lives in it before it says anything else. */
function headers(files: readonly SourceFile[]): Finding[] {
  return files
    .filter(({ path }) => /^(src|assembly|scripts|examples|console|test\/tidy)\/.*\.(ts|mjs)$/.test(path))
    .filter(({ text }) => !/^(#!.*\n)?\/[/*]/.test(text))
    .map(({ path }) => ({
      path,
      line: 1,
      mend: 'open with two to six comment lines: what lives here, what it must never do, where the meaning is defined',
    }))
}

/** Relative imports name the file that exists, with its ending. */
function endings(files: readonly SourceFile[]): Finding[] {
  // asc adds the ending by itself and takes no other
  const withEndings = files.filter(({ path }) => !path.startsWith('assembly/'))
  return eachImport(withEndings, (_, { target, specifier, line }) =>
    target === undefined || /\.(ts|tsx|mts|mjs|js|json|wasm|css)$/.test(target)
      ? undefined
      : { line, mend: `write the ending: '${specifier}.ts'` },
  )
}

/**
 * No function returns `T | Promise<T>`: whoever takes the one and drops the other drops a rejection, and that ends a
 * process. A field may hold a promise or nothing yet. What is written is read here, not what a compiler would infer.
 */
function promises(files: readonly SourceFile[]): Finding[] {
  const others = /(?:\|\s*)?(?:[\w.$[\]'"]+(?:<[^<>]*>)?\s*\|\s*)*$/
  return files
    .filter(({ path }) => /^src\/.*\.ts$/.test(path))
    .flatMap(({ path, code, text }) =>
      [...code.matchAll(/\bPromise(?:Like)?</g)].flatMap(({ index }) => {
        const before = others.exec(code.slice(0, index))?.[0] ?? ''
        const after = /^\s*\|(?!\|)\s*[\w.$]+/.exec(code.slice(endOfType(code, index)))?.[0] ?? ''
        const rest = `${before}${after}`.match(/[\w.$]+/g) ?? []
        const isReturned = /(?:\)\s*:|=>)\s*$/.test(code.slice(0, index - before.length))
        if (rest.length === 0 || (!isReturned && rest.every((name) => name === 'undefined'))) return []
        const mend = 'split it: one function for what is there at once, one that is awaited'
        return [{ path, line: lineAt(text, index), mend }]
      }),
    )
}

/** The index behind the closing `>` of the type that begins at `start`. */
function endOfType(code: string, start: number): number {
  let depth = 0
  for (let at = code.indexOf('<', start); at < code.length; at++) {
    if (code[at] === '<') depth++
    else if (code[at] === '>' && code[at - 1] !== '=' && --depth === 0) return at + 1
  }
  return code.length
}

/** What registers a callback that Node or the framework calls: its argument, counted from the end when negative. */
const CALLBACKS =
  /(?:(?<=\.)(on|once|addListener|prependListener|addEventListener)|(?<![.\w])(setTimeout|setInterval|setImmediate|queueMicrotask)|(?<=process\.)(nextTick)|(?<=\.)(addHook))\(/g

/** Calls that cannot throw, so that a callback of nothing else needs no care. */
const HARMLESS =
  /^(resolve|reject|settle|stop|clear(Timeout|Interval|Immediate)|abort|add|cancel|delete|destroy|unref|refresh|close|closeIdleConnections|closeAllConnections|terminate|kill|end|push|catch|done|Error|ZerohopError|contain(ed)?|inBackground|tell|notify|round|now)$/

/**
 * A callback that Node calls has nobody above it who catches: it goes through src/model/contained.ts, hooks around an
 * answer through src/http/hooks.ts, or its body is one `try`. Free are names of a promise's ends and callbacks that
 * call nothing but what cannot throw. In a thread of ours an error reaches whoever started it; a page is not a process.
 */
function callbacks(files: readonly SourceFile[]): Finding[] {
  const about = files.filter(
    ({ path }) => /^src\/(?!browser\/).*\.ts$/.test(path) && !THREADS.test(path) && !HOMES.has(path),
  )
  return about.flatMap((file) => [
    ...[...file.code.matchAll(CALLBACKS)].flatMap((match) => {
      const [, listener, timer, tick, hook] = match
      const given = argumentsFrom(file, match.index + match[0].length)
      const callback = (timer ?? tick) ? given[0] : given[1]
      if (hook !== undefined && !/onResponse|onSend|onTimeout|onRequestAbort/.test(given[0] ?? '')) return []
      if (callback === undefined || (hook === undefined && isCareful(callback, file.code))) return []
      const what = listener ?? timer ?? tick ?? hook ?? ''
      const mend =
        hook === undefined
          ? `an error of this callback of ${what} would end the process: put it into contained('…', …)`
          : 'use whenAnswered, beforeSending or holdSending of src/http/hooks.ts'
      return [{ path: file.path, line: lineAt(file.text, match.index), mend }]
    }),
    ...find(
      file,
      file.code,
      /(?<![=>:<|,(]\s*)\bvoid\s+(?!\()[\w#.?!]+(?:\([^\n]*\))?\.(finally|then)\(|\)\.finally\([^\n]*\)\s*$/,
    ).map((line) => ({
      path: file.path,
      line,
      mend: "nobody hears when this promise is rejected: use inBackground('…', …)",
    })),
  ])
}

/** Entries of threads and child processes, and what serves the messages of one. */
const THREADS = /^src\/(.*(-thread|-child)|store\/postgres\/replica|threads\/worker-host)\.ts$/

/** What contains errors, and what reports those that nothing contained. */
const HOMES = new Set(['src/model/contained.ts', 'src/http/hooks.ts', 'src/cli/process/unhandled.ts'])

/** The arguments of a call, as they are written, strings included. */
function argumentsFrom({ code, text }: SourceFile, start: number): string[] {
  const found: string[] = []
  let depth = 0
  let from = start
  for (let at = start; at < code.length; at++) {
    const one = code[at]!
    if ('([{'.includes(one)) depth++
    else if (')]}'.includes(one) && --depth < 0) return [...found, text.slice(from, at).trim()]
    else if (one === ',' && depth === 0) {
      found.push(text.slice(from, at).trim())
      from = at + 1
    }
  }
  return found
}

function isCareful(callback: string, code: string): boolean {
  if (/^contained\(/.test(callback)) return true
  const name = /^(?:this\.)?(#?\w+)$/.exec(callback)?.[1]
  if (name !== undefined) {
    if (HARMLESS.test(name)) return true
    const defined = new RegExp(`(?:const|readonly) ${name} = `).exec(code)
    return defined !== null && isCareful(bodyFrom(code, defined.index + defined[0].length), code)
  }
  const body = callback.replace(/^(async )?(\([^)]*\)|\w+)(: [\w<> |]+)? => /, '')
  if (/^\{\s*try \{[\s\S]*\} catch[\s\S]*\}$/.test(body)) return true
  const called = [...body.matchAll(/(?<![\w$])(#?[\w$]+)(?:\?\.)?\(/g)].map(([, one]) => one!)
  const words = new Set(['if', 'for', 'while', 'return', 'void', 'switch'])
  return called.every((one) => words.has(one) || HARMLESS.test(one))
}

/** The code of a function that is assigned, up to the end of its statement. */
function bodyFrom(code: string, start: number): string {
  let depth = 0
  for (let at = start; at < code.length; at++) {
    const one = code[at]!
    if ('([{'.includes(one)) depth++
    else if (')]}'.includes(one)) depth--
    if (depth < 0 || (one === '\n' && depth === 0 && !/^\s*[.?:&|]/.test(code.slice(at + 1, at + 40)))) {
      return code.slice(start, at).trim()
    }
  }
  return code.slice(start)
}

/** Who may read grants and tuples that are not in force (D15), and why. */
const READERS_OF_STORED: Readonly<Record<string, string>> = {
  'assembly/policy/': 'changes',
  'assembly/verify/': 'verifies',
  'assembly/index.ts': 'exports what the host may ask for',
  'assembly/decide/decide.ts': 'gives the word that holds at every instant',
  'assembly/decide/attributes.ts': 'finds the grant whose roles it then compares with the instant',
  'assembly/decide/abac.ts': 'the same',
  'assembly/decide/candidates.ts': 'finds the sides of all stored roles; their evaluation compares',
  'assembly/decide/rbac.ts': 'asserts what a word says',
  'src/kernel/module.ts': 'declares the exports',
  'src/image/decide/effective-roles.ts': 'finds what of them starts or ends next, and follows those in force',
  'src/image/records/grant.ts': 'defines them',
  'src/image/records/tuple.ts': 'defines them',
  'src/image/access-diff/turns.ts': 'lists what starts or ends between two instants',
  'src/image/access-review/lines-of-user.ts': 'lists roles by their state',
  'src/image/records/suspension.ts': 'defines them',
  'src/image/explain/not-in-force.ts': 'looks for what would allow, were it in force',
  'src/image/read-records.ts': 'reads contents',
  'src/image/update/prepare.ts': 'prepares a change',
}
/** What gives them, and fields that lead to them without a look at their times. */
const STORED =
  /\b(?:find(?:Grant|Tuple)|grant(?:Of|Asked|Roles)|roleCount|countGrantRoles|tupleTimes|suspension(?:Of)?|isBy|each\w+)Stored\b/
const UNTIMED: readonly (readonly [files: RegExp, pattern: RegExp, mend: string])[] = [
  [
    /^src\/(?!image\/records\/grant\.ts$|kernel\/)/,
    /\bcalls\s*\.\s*grantOf(?:Stored)?\b/,
    'findGrant of src/image/records/grant.ts',
  ],
  [
    /^src\/image\/(?!image\.ts$)/,
    /(?<!atInstant\(\s*)(?<![\w.#])(?:[\w.#]+\.)?calls\s*\.\s*(?:decide(?:On|OnRelated|Related|Sets|Side|Program)?|operandCell)\(/,
    'atInstant(…) around it: it may be ASK_TIME',
  ],
]

/** What is not in force gives nothing: only who is listed reads it. */
function stored(files: readonly SourceFile[]): Finding[] {
  const isListed = ({ path }: SourceFile) => Object.keys(READERS_OF_STORED).some((reader) => path.startsWith(reader))
  const sources = files.filter(({ path }) => /^(?:src|assembly)\//.test(path))
  return sources.flatMap((file) => [
    ...(isListed(file) ? [] : find(file, file.code, STORED)).map((line) => {
      return { path: file.path, line, mend: 'read what is in force, or list the file in READERS_OF_STORED' }
    }),
    ...UNTIMED.filter(([of]) => of.test(file.path)).flatMap(([, pattern, mend]) =>
      find(file, file.code, pattern).map((line) => ({ path: file.path, line, mend })),
    ),
  ])
}

/** Names and comments have no more of the phrases than before, and those of new files have none. */
function language(files: readonly SourceFile[]): Finding[] {
  return findTooMany(files.flatMap(findInSource), readLimits(LIMITS)).map(({ path, line, instead: mend }) => {
    return { path, line, mend }
  })
}

function eachImport(
  files: readonly SourceFile[],
  judge: (file: SourceFile, item: Import) => { line: number; mend: string } | undefined,
): Finding[] {
  return files.flatMap((file) =>
    file.imports.flatMap((item) => {
      const finding = judge(file, item)
      return finding === undefined ? [] : [{ path: file.path, ...finding }]
    }),
  )
}

function find(file: SourceFile, text: string, pattern: RegExp): number[] {
  return [...text.matchAll(new RegExp(pattern, 'g'))].map((match) => lineAt(file.text, match.index))
}

function commented(file: SourceFile, line: number): boolean {
  const lines = file.comments.split('\n')
  return [lines[line - 1], lines[line - 2]].some((text) => text !== undefined && text.trim().length > 10)
}

/** Every rule under its name. */
export const RULES = {
  layers,
  rooms,
  firstVersion,
  packages,
  words,
  names,
  skips,
  notes,
  machines,
  temporaryFolders,
  headers,
  endings,
  promises,
  callbacks,
  stored,
  language,
}
export type RuleName = keyof typeof RULES
