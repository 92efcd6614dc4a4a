// Entry of the worker thread that does large work on an image: compaction, or deltas too large for one turn of the
// event loop. It gets a copy of the image as a file and answers with one. Started by src/pdp/image-task.ts for one task.
import 'msgpackr' // its native part, for a state or a large delta is unpacked here
import { serve } from '../threads/worker-host.ts'
import { doTask } from './image-task.ts'

serve(doTask, { transfer: (bytes) => [bytes.buffer as ArrayBuffer] })
