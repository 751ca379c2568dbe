"""Steps that are sent and received, as in EnvPool."""
import queue
import threading


class AsyncEnvs:
    """Groups of a vector environment's worlds that step in the background while others are thought about.

        envs = AsyncEnvs(lambda n: corten.gym.make_vec("Ant-v5", n), num_envs=64, groups=4)
        envs.async_reset(seed=0)
        while True:
            group, observations, rewards, terminated, truncated, infos = envs.recv()
            envs.send(policy(observations), group)

    Each group is a vector environment of `num_envs / groups` worlds on a thread of its own; steps run without the
    interpreter lock. `recv` gives the group that is ready first. What a group computes does not depend on the order.
    """

    def __init__(self, make, num_envs, groups=2):
        if num_envs % groups:
            raise ValueError(f"{num_envs} worlds are not {groups} equal groups")
        self.num_envs, self.groups = num_envs, groups
        self.envs = [make(num_envs // groups) for _ in range(groups)]
        self._ready = queue.SimpleQueue()
        self._sent = [queue.SimpleQueue() for _ in range(groups)]
        self._threads = [threading.Thread(target=self._serve, args=(i,), daemon=True) for i in range(groups)]
        for thread in self._threads:
            thread.start()

    def worlds_of(self, group):
        """The numbers of a group's worlds."""
        size = self.num_envs // self.groups
        return range(group * size, (group + 1) * size)

    def _serve(self, group):
        env = self.envs[group]
        while True:
            work = self._sent[group].get()
            if work is None:
                return
            try:
                self._ready.put((group, *work(env)))
            except Exception as error:
                self._ready.put((group, error))

    def async_reset(self, seed=None):
        """Starts all worlds; observations are received."""
        for group in range(self.groups):
            first = None if seed is None else seed + self.worlds_of(group)[0]

            def work(env, first=first):
                observations, infos = env.reset(seed=first)
                none = [False] * env.num_envs
                return observations, [0.0] * env.num_envs, none, none, infos
            self._sent[group].put(work)

    def send(self, actions, group):
        """Starts a step of a group."""
        self._sent[group].put(lambda env: env.step(actions))

    def recv(self, timeout=None):
        """The group that is ready first: its number, observations, rewards, terminated, truncated, infos."""
        group, *result = self._ready.get(timeout=timeout)
        if isinstance(result[0], Exception):
            raise result[0]
        return group, *result

    def close(self):
        """Ends the threads."""
        for sent in self._sent:
            sent.put(None)
        for thread in self._threads:
            thread.join()
        for env in self.envs:
            env.close()
