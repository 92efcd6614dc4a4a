// Entry of the worker thread that reads the past of one environment: builds the image of a revision, exports it,
// compares answers, or writes a checkpoint. It reads the folder beside the store, or of a replica the record in the
// database.
import type { LogId } from '../../log/change.ts'
import { ZerohopError } from '../../model/errors.ts'
import { writeCheckpoint } from '../../store/checkpoint-file.ts'
import { FolderPastReader, type PastReader } from '../../store/past-reader.ts'
import { openReader } from '../../store/reader.ts'
import { serveSlow } from '../../threads/worker-host.ts'
import { writeFacts } from '../policy-file/write-facts.ts'
import { compareAnswers } from './compare-answers.ts'
import { openPast } from './open-past.ts'
import { exportAt, viewAt } from './past-export.ts'
import { imageAt } from './past-image.ts'
import type { PastQuestion, PastResults, PastTask } from './past-task.ts'
import { describeChanges, listUndone } from './revision-changes.ts'

type Result = PastResults[PastTask['task']]
type Place = Pick<PastQuestion, 'data' | 'environment'>

const answer = async (question: PastQuestion): Promise<Result> => {
  if (question.task === 'checkpoint') return checkpoint(question)
  if (question.task === 'verify') return verify(question)
  const reader = await openPast(question, question.environment)
  try {
    return await run(reader, question.environment, question)
  } finally {
    await reader.close()
  }
}
serveSlow(answer, {
  transfer: (result) =>
    result !== null && 'bytes' in result && result.bytes instanceof Uint8Array
      ? [result.bytes.buffer as ArrayBuffer]
      : [],
})

async function run(
  reader: PastReader,
  environment: LogId,
  task: Exclude<PastTask, { task: 'checkpoint' | 'verify' }>,
): Promise<PastResults[Exclude<PastTask['task'], 'checkpoint' | 'verify'>]> {
  if (task.task === 'reach') return reader.reach()
  if (task.task === 'undone') return listUndone(reader, task.revision)
  if (task.task === 'changes') return describeChanges(reader, environment, task)
  if (task.task === 'export') return { bytes: await exportAt(reader, environment, task) }
  if (task.task === 'facts') {
    writeFacts(await viewAt(reader, environment, { ...task, facts: true }), task.file, task)
    return null
  }
  if (task.task === 'compare') return compareAnswers(reader, environment, task)
  const image = await imageAt(reader, environment, task.revision)
  return { bytes: image.save(), position: image.position }
}

async function verify({ data, environment }: Place): Promise<PastResults['verify']> {
  const reader = new FolderPastReader(data, openReader(data), environment)
  try {
    return { unusable: reader.unusable() }
  } finally {
    await reader.close()
  }
}

/** In one turn of the event loop: that is one consistent state. */
async function checkpoint({ data, environment }: Place): Promise<PastResults['checkpoint']> {
  const reader = openReader(data)
  try {
    const { head, objects } = reader.state(environment)
    const [entry] = reader.history(environment, head.revision + 1, 1)
    if (entry === undefined) throw new ZerohopError('REVISION_UNKNOWN', { wanted: head.revision, head: 0 })
    let count = 0
    function* counted() {
      for (const object of objects) {
        count++
        yield object
      }
    }
    const written = writeCheckpoint(data, environment, { ...head, at: entry.at }, counted())
    return { ...written, objects: count }
  } finally {
    await reader.close()
  }
}
