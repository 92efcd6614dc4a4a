// Sizes and offsets of abi.ts, held against each other: a layout that does not fit is an error of the compiler. Nothing of this is in the
// kernel. A record ends behind its last field, a list of fixed length where the next field begins, an area where the next area begins.
import {
  BUCKET_BYTES,
  BUCKET_SLOTS,
  Bucket,
  CANDIDATES_MAX,
  CELL_BYTES,
  Cell,
  EDGE_BYTES,
  Edge,
  ENCODED,
  ENCODED_BYTES,
  FANOUT,
  FRAME_BYTES,
  FRAMES,
  FRAMES_MAX,
  Frame,
  GOAL_BYTES,
  GOAL_SLOTS,
  GOALS_MAX,
  Goal,
  GRANT_BYTES,
  GROUP_BYTES,
  Grant,
  Group,
  HEADER,
  HEADER_BYTES,
  HEAP,
  Header,
  INDEX_BYTES,
  INDEX_TESTS_MAX,
  Index,
  Instance,
  LEAF_RECORDS,
  MEMBER_BYTES,
  Member,
  NODE_BYTES,
  Node,
  OrderRoot,
  PAGE_BYTES,
  PAGE_SHIFT,
  PATHS_MAX,
  PERMISSIONS_MAX,
  Principal,
  ROW_BYTES,
  ROW_FIRST_PAGE,
  ROW_PAGES,
  Role,
  Root,
  RULE_BYTES,
  Rule,
  SCRATCH,
  SCRATCH_BYTES,
  SEGMENT_BUCKETS,
  SEGMENT_BYTES,
  SENT,
  SET_RULE_BYTES,
  SetRule,
  SIDE_BYTES,
  Side,
  STEP_BYTES,
  Step,
  TABLE_BYTES,
  TABLES,
  Table,
  TEST_BYTES,
  Tests,
  TUPLE_BYTES,
  Tuple,
  WORK,
} from '../abi'

/** Where the messages of the debug build begin: `memoryBase` in asconfig.json. */
const STATIC = 0x12000
const ORDERS = 2

// Records.
if (EDGE_BYTES !== Edge.PreviousChild + 4) ERROR('EDGE_BYTES')
if (GRANT_BYTES !== Grant.PreviousOfScope + 4) ERROR('GRANT_BYTES')
if (TUPLE_BYTES !== Tuple.PreviousOfSubject + 4) ERROR('TUPLE_BYTES')
if (RULE_BYTES !== Rule.PreviousOfSource + 4) ERROR('RULE_BYTES')
if (SET_RULE_BYTES !== SetRule.PreviousOfSide + 4) ERROR('SET_RULE_BYTES')
if (SIDE_BYTES !== Side.PreviousOfSet + 4) ERROR('SIDE_BYTES')
if (INDEX_BYTES !== Index.Paths + INDEX_TESTS_MAX * 4) ERROR('INDEX_BYTES')
if (GROUP_BYTES !== Group.Previous + 4) ERROR('GROUP_BYTES')
if (MEMBER_BYTES !== Member.PreviousOfTenant + 4) ERROR('MEMBER_BYTES')
if (GOAL_BYTES !== Goal.From + 4) ERROR('GOAL_BYTES')
if (CELL_BYTES !== Cell.Value + 8) ERROR('CELL_BYTES')
if (STEP_BYTES !== Step.WhenFalse + 2) ERROR('STEP_BYTES')
if (TEST_BYTES !== Tests.Hash + 4 - Tests.Path) ERROR('TEST_BYTES')
if (FRAME_BYTES < Frame.Type + 4) ERROR('FRAME_BYTES')
// An instance begins as a party, without a list of members.
if (Instance.Tenant !== Principal.Attributes + 4) ERROR('Instance')

// Rows of permissions: one inside each role.
if (ROW_FIRST_PAGE !== ROW_PAGES * 4 || ROW_BYTES !== ROW_FIRST_PAGE + PAGE_BYTES) ERROR('ROW_BYTES')
if (Role.Type !== Role.Row + ROW_BYTES) ERROR('Role.Row')
if (PAGE_BYTES * 8 !== 1 << PAGE_SHIFT || ROW_PAGES << PAGE_SHIFT <= PERMISSIONS_MAX) ERROR('PERMISSIONS_MAX')

// Tables and orders.
if (Bucket.Count !== Bucket.Hashes + BUCKET_SLOTS * 4 || Bucket.Records !== Bucket.Count + 4) ERROR('Bucket.Count')
if (Bucket.Overflow !== Bucket.Records + BUCKET_SLOTS * 4 || BUCKET_BYTES !== Bucket.Overflow + 4) ERROR('BUCKET_BYTES')
if (SEGMENT_BYTES !== SEGMENT_BUCKETS * BUCKET_BYTES) ERROR('SEGMENT_BYTES')
if (TABLE_BYTES !== Root.Capacity + 4 || TABLES !== Table.Groups + 1) ERROR('TABLES')
if (NODE_BYTES !== Node.Entries + LEAF_RECORDS * 4 || NODE_BYTES !== Node.Entries + FANOUT * 8) ERROR('NODE_BYTES')

// The header: free lists of each power of two from 512 bytes up, and of each multiple of four up to 512.
if (Header.Tables < Header.Orders + ORDERS * OrderRoot.Bytes) ERROR('Header.Orders')
if (Header.FreeLarge < Header.Tables + TABLES * TABLE_BYTES) ERROR('Header.Tables')
if (Header.FreeSmall < Header.FreeLarge + (32 - 9) * 4 || HEADER_BYTES < Header.FreeSmall + 512)
  ERROR('Header.FreeSmall')

// Areas.
if (SCRATCH < HEADER + HEADER_BYTES || STATIC < SCRATCH + SCRATCH_BYTES || WORK <= STATIC) ERROR('SCRATCH')
if (SENT < WORK + GOALS_MAX * GOAL_BYTES + GOAL_SLOTS * 2 || SENT < WORK + CANDIDATES_MAX * 8) ERROR('WORK')
if (ENCODED < SENT + (PATHS_MAX + 1) * 4) ERROR('SENT')
if (FRAMES < ENCODED + ENCODED_BYTES || HEAP < FRAMES + FRAMES_MAX * FRAME_BYTES) ERROR('FRAMES')
