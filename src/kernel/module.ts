// Finds and compiles the kernel. The release bytes are part of the package (build/kernel.ts); runtimes that forbid
// compiling bytes pass a compiled module of `zerohop/kernel.wasm`. The debug build is for tests. Nothing else uses
// WebAssembly.
import { readFileSync } from 'node:fs'
import { HEADER_BYTES, HEAP } from '../../assembly/abi.ts'
import { ABI_VERSION } from '../../assembly/limits.ts'
import { KERNEL_BASE64 } from '../../build/kernel.ts'
import { ZerohopError } from '../model/errors.ts'

/**
 * A `WebAssembly.Module`. Declarations of this package do not name that type: it is not there without the DOM library.
 */
export type CompiledModule = object

/** Which kernel to use: the packaged one, the debug build, or a module that the host compiled. */
export type KernelSource = 'release' | 'debug' | CompiledModule

/** A `WebAssembly.Memory`. */
export interface KernelMemory {
  readonly buffer: ArrayBuffer
  grow(pages: number): number
}

const PAGE = 0x10000
const PAGES_MAX = 0x8000
/** The compiled kernels by their bytes: one for every copy of this package in the process. */
const compiled = compiledKernels()

/** What assembly/index.ts exports. Every argument and result is a u32; an id of 0 means none. */
export interface KernelExports {
  abiVersion(): number
  create(): void
  reserve(bytes: number): number
  find(table: number, length: number): number
  findPermission(length: number): number
  setNow(now: number): void
  setOwnAlone(on: number): void
  decide(user: number, tenant: number, permission: number): number
  rolesIn(user: number, tenant: number): number
  decideByRoles(roles: number, permission: number): number
  decideOn(user: number, tenant: number, permission: number, instance: number): number
  decideOnRelated(user: number, tenant: number, permission: number, instance: number, related: number): number
  decideRelated(
    user: number,
    tenant: number,
    permission: number,
    instance: number,
    related: number,
    type: number,
  ): number
  goalMet(): number
  put(table: number, length: number): number
  putPermission(resource: number, length: number): number
  everybody(): number
  putEverybody(): number
  deleteUser(user: number): void
  deleteTenant(tenant: number): void
  deleteRole(role: number): void
  deleteResource(resource: number): void
  putInstance(type: number, tenant: number, length: number): number
  deleteInstance(instance: number): void
  relate(relation: number, subject: number, object: number, from: number, until: number): number
  unrelate(relation: number, subject: number, object: number): number
  clearDerivation(role: number, type: number, flags: number): void
  addRule(role: number, relation: number, source: number, flags: number): void
  setPartyAttributes(party: number, encoded: number): void
  setDeclared(resource: number, encoded: number): void
  setDocument(document: number, encoded: number): void
  removeDocument(document: number): void
  joinTenant(user: number, tenant: number): void
  leaveTenant(user: number, tenant: number): void
  putPath(source: number, length: number): number
  defineSet(
    set: number,
    kind: number,
    resource: number,
    json: number,
    constants: number,
    steps: number,
    length: number,
  ): void
  setParent(set: number, parent: number): void
  listReads(permission: number): number
  removeSet(set: number): void
  addSetRule(permission: number, users: number, resources: number): void
  removeSetRule(permission: number, users: number, resources: number): void
  decideSets(user: number, tenant: number, permission: number, instance: number, related: number, end: number): number
  decideSide(
    user: number,
    tenant: number,
    permission: number,
    instance: number,
    related: number,
    end: number,
    side: number,
  ): number
  decideProgram(
    user: number,
    tenant: number,
    permission: number,
    instance: number,
    end: number,
    program: number,
  ): number
  operandCell(user: number, tenant: number, permission: number, instance: number, end: number, path: number): number
  operandRefused(): number
  illTypedCount(): number
  operandIsTime(): number
  stepsOfSets(): number
  deletePermission(permission: number): void
  clearRole(role: number): void
  extendRole(role: number, count: number): void
  setParents(role: number, count: number): void
  refreshRole(role: number): void
  assign(user: number, scope: number, role: number, from: number, until: number): number
  unassign(user: number, scope: number, role: number): number
  putGrant(user: number, scope: number, count: number, timed: number): void
  grantOf(user: number, scope: number): number
  grantOfStored(user: number, scope: number): number
  holds(role: number, permission: number): number
  permissionRecord(permission: number): number
  listGrant(grant: number, first: number): number
  listRole(role: number, first: number): number
  listBucket(table: number, index: number): number
  listOrdered(table: number, record: number, length: number, most: number): number
  listInTenant(tenant: number, record: number, length: number, most: number): number
  suspend(user: number, from: number, until: number): void
  resume(user: number): void
  suspensionOfStored(user: number): number
  takeWork(): number
  verify(): number
}

/**
 * A kernel on a fresh memory with room for an image of `bytes`.
 * @throws IMAGE_FOREIGN when the module is of another ABI, IMAGE_FULL when the host gives no memory
 */
export function instantiate(source: KernelSource, bytes: number): { exports: KernelExports; memory: KernelMemory } {
  const pages = Math.ceil((HEAP + Math.max(0, bytes - HEADER_BYTES)) / PAGE) + 1
  let memory: WebAssembly.Memory
  try {
    memory = new WebAssembly.Memory({ initial: Math.max(16, pages), maximum: PAGES_MAX })
  } catch (cause) {
    throw new ZerohopError('IMAGE_FULL', { reason: `no memory for ${bytes} bytes` }, { cause })
  }
  const abort = (message: number) => failAssertion(memory, message)
  const instance = new WebAssembly.Instance(compileModule(source), { env: { memory, abort } })
  const exports = instance.exports as unknown as KernelExports
  if (exports.abiVersion() !== ABI_VERSION) {
    throw new ZerohopError('IMAGE_FOREIGN', {
      reason: `the kernel has ABI ${exports.abiVersion()}, this host needs ${ABI_VERSION}`,
    })
  }
  // What was added last, without another number, for no image changed: a kernel without it is older.
  if (exports.decideByRoles === undefined) {
    throw new ZerohopError('IMAGE_FOREIGN', { reason: 'the kernel is older than this host' })
  }
  exports.setNow(Number.NaN)
  return { exports, memory }
}

function compiledKernels(): Map<string, WebAssembly.Module> {
  const shared = globalThis as { [name: symbol]: Map<string, WebAssembly.Module> | undefined }
  const name = Symbol.for('zerohop.kernels')
  const kernels = shared[name] ?? new Map<string, WebAssembly.Module>()
  shared[name] = kernels
  return kernels
}

function compileModule(source: KernelSource): WebAssembly.Module {
  if (typeof source === 'object') {
    if (source instanceof WebAssembly.Module) return source
    throw new ZerohopError('INPUT_INVALID', { reason: 'the kernel is no WebAssembly.Module' })
  }
  const text = source === 'release' ? KERNEL_BASE64 : source
  let module = compiled.get(text)
  if (module === undefined) {
    module = new WebAssembly.Module(source === 'release' ? Buffer.from(text, 'base64') : readFileSync(debugFile()))
    compiled.set(text, module)
  }
  return module
}

/** The debug build lies in build/ of the source tree; it is not part of the package. */
function debugFile(): URL {
  const here = import.meta.url
  const root = here.slice(0, here.lastIndexOf(here.endsWith('.ts') ? '/src/' : '/dist/'))
  return new URL(`${root}/build/debug.wasm`)
}

/** The caller has used the stack up: no fault of an image. */
export const isStackExhausted = (error: unknown): boolean =>
  error instanceof RangeError && error.message.includes('call stack')

/** An assertion of the debug build; its message is UTF-16, and the word before it is the length in bytes. */
function failAssertion(memory: KernelMemory, message: number): never {
  const bytes = message === 0 ? 0 : new DataView(memory.buffer).getUint32(message - 4, true)
  const text = Buffer.from(memory.buffer, message, bytes).toString('utf16le')
  throw new WebAssembly.RuntimeError(`an assertion of the kernel failed: ${text}`)
}
