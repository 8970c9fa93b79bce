import { entiaCollectionOptions } from '@entia/tanstack-db'
import { createCollection, eq, useLiveQuery } from '@tanstack/vue-db'
import { ref } from 'vue'

/** @param {import('@entia/client').Remote<any>} db */
export function Tasks(db) {
  const tasks = createCollection(entiaCollectionOptions({ dataClass: db.Task, key: 'ID' }))
  return {
    setup() {
      const isDone = ref(false)
      const { data } = useLiveQuery((q) =>
        q
          .from({ task: tasks })
          .where(({ task }) => eq(task.done, isDone.value))
          .orderBy(({ task }) => task.rank),
      )
      const finish = (/** @type {number} */ id) =>
        tasks.update(id, (task) => void (task.done = true))
      return { isDone, data, finish }
    },
    template: `
      <button @click="isDone = !isDone">{{ isDone ? 'Done' : 'Open' }}</button>
      <ul><li v-for="task in data" :key="task.ID" @click="finish(task.ID)">{{ task.title }}</li></ul>`,
  }
}
