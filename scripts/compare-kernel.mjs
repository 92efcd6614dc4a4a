// node scripts/compare-kernel.mjs BEFORE.wasm AFTER.wasm: whether a change of the kernel's sources left its code as it
// is. Two modules are alike when their texts are the same but for operands of commutative instructions that changed
// places; such operands neither write to memory nor call, and none sets a local that the other one uses. Anything else
// is shown, and the exit code is 1.
import { readFileSync } from 'node:fs'
import binaryen from 'assemblyscript/binaryen'

const COMMUTATIVE = /^(i32|i64)\.(add|mul|and|or|xor|eq|ne)$|^(f32|f64)\.(add|mul|eq|ne)$/
/** What may not change places with something else. */
const ORDERED = /^(call|call_indirect|global\.set|memory\..*|.*\.store\d*|br.*|return|unreachable|loop)$/

const [before, after] = process.argv.slice(2)
if (after === undefined) {
  console.error('node scripts/compare-kernel.mjs BEFORE.wasm AFTER.wasm')
  process.exit(2)
}
const [left, right] = [before, after].map((path) => parseText(readText(path)))
const counts = { nodes: 0, swaps: 0 }
const difference = compare(left, right)
if (difference !== undefined) {
  console.error(`the modules differ:\n- ${shown(difference[0])}\n+ ${shown(difference[1])}`)
  process.exit(1)
}
console.log(`alike: ${counts.nodes} nodes, ${counts.swaps} pairs of operands changed places`)

function readText(path) {
  const module = binaryen.readBinary(readFileSync(path))
  const text = module.emitText()
  module.dispose()
  return text
}

/** An expression is a list of words and expressions. */
function parseText(text) {
  const stack = [[]]
  for (const [word] of text.matchAll(/"(?:[^"\\]|\\.)*"|[()]|;;[^\n]*|[^\s()]+/g)) {
    if (word === '(') stack.push([])
    else if (word === ')') {
      const expression = stack.pop()
      stack.at(-1).push(expression)
    } else if (!word.startsWith(';;')) stack.at(-1).push(word)
  }
  return stack[0]
}

/** The first pair of parts that differ; undefined when they are alike. */
function compare(one, other) {
  counts.nodes++
  if (typeof one === 'string' || typeof other === 'string') return one === other ? undefined : [one, other]
  if (one.length !== other.length) return [one, other]
  const swaps = counts.swaps
  const found = compareParts(one, other)
  if (found === undefined || typeof one[0] !== 'string' || !COMMUTATIVE.test(one[0])) return found
  if (one[0] !== other[0] || one.length !== 3) return found
  if (!mayChangePlaces(one[1], one[2])) return found
  counts.swaps = swaps + 1
  return compareParts(one, [other[0], other[2], other[1]]) === undefined ? undefined : found
}

function compareParts(one, other) {
  for (const [index, part] of one.entries()) {
    const found = compare(part, other[index])
    if (found !== undefined) return found
  }
  return undefined
}

function mayChangePlaces(one, other) {
  const [ofOne, ofOther] = [listLocals(one), listLocals(other)]
  const isApart = (set, used) => set.every((local) => !used.includes(local))
  return !isOrdered(one) && !isOrdered(other) && isApart(ofOne.set, ofOther.used) && isApart(ofOther.set, ofOne.used)
}

function isOrdered(part) {
  return typeof part === 'string' ? ORDERED.test(part) : part.some(isOrdered)
}

/** The locals that an expression sets, and all that it uses. */
function listLocals(part, locals = { set: [], used: [] }) {
  if (typeof part === 'string') return locals
  if (/^local\.(set|tee)$/.test(part[0])) locals.set.push(part[1])
  if (/^local\./.test(part[0])) locals.used.push(part[1])
  for (const each of part) listLocals(each, locals)
  return locals
}

function shown(part) {
  const text = typeof part === 'string' ? part : `(${part.map(shown).join(' ')})`
  return text.length > 300 ? `${text.slice(0, 300)}…` : text
}
