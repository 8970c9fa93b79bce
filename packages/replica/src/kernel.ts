// The entry @entia/replica/kernel: replicas whose store has chosen capabilities.
export {
  type KernelReplica,
  type KernelReplicateOptions,
  replicate,
} from './replicate-kernel.ts'
