// Reads a Dockerfile into stages of instructions. Knows what our Dockerfile uses: comments, continued lines, JSON
// (exec) form, flags. As a program it prints the stages as JSON: node .ci/dockerfile.mjs [FILE]
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/**
 * @typedef {{ keyword: string, flags: Record<string, string>, text: string, words: string[] }} Instruction
 * @typedef {{ name: string | undefined, image: string, instructions: Instruction[] }} Stage
 */

/** @param {string} text @returns {Stage[]} */
export function parseDockerfile(text) {
  const stages = []
  const lines = text
    .replace(/^\s*#.*\n/gm, '')
    .replace(/\\\n\s*/g, ' ')
    .split('\n')
  for (const line of lines.map((each) => each.trim()).filter((each) => each !== '')) {
    const [, keyword, rest] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? []
    if (keyword === undefined) throw new Error(`Dockerfile: cannot read \`${line}\``)
    if (keyword === 'FROM') {
      const [image, , name] = rest.split(/\s+/)
      stages.push({ name, image, instructions: [] })
      continue
    }
    if (stages.length === 0) throw new Error(`Dockerfile: ${keyword} before FROM`)
    stages.at(-1).instructions.push(instruction(keyword, rest))
  }
  return stages
}

function instruction(keyword, rest) {
  const flags = {}
  let text = rest
  for (let flag = /^--([\w-]+)=(\S+)\s+/.exec(text); flag; flag = /^--([\w-]+)=(\S+)\s+/.exec(text)) {
    flags[flag[1]] = flag[2]
    text = text.slice(flag[0].length)
  }
  if (keyword === 'HEALTHCHECK') text = text.replace(/^CMD\s+/, '')
  return { keyword, flags, text, words: text.startsWith('[') ? JSON.parse(text) : text.split(/\s+/) }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.stdout.write(`${JSON.stringify(parseDockerfile(readFileSync(process.argv[2] ?? 'Dockerfile', 'utf8')))}\n`)
}
