//! The memory of engines that take turns.
//!
//! The allocator of the GNU C library gives each thread an arena of its own, so that threads do
//! not wait for one another. Memory that a thread frees stays in its arena. Where engines in
//! threads of their own share one processor, only one of them works at a time: they would never
//! wait, and what one of them frees should be there for the others.
#![warn(missing_docs)]

/// From now on, all threads of the process take their memory from one arena. To be called before
/// other threads start. Only the GNU C library knows arenas; elsewhere, nothing happens.
pub fn share() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        // SAFETY: the call sets a parameter of the allocator. It neither reads nor writes memory
        // of the caller.
        let is_set = unsafe { libc::mallopt(libc::M_ARENA_MAX, 1) };
        debug_assert_eq!(is_set, 1, "the parameter and its value are valid");
    }
}

#[cfg(all(test, target_os = "linux", target_env = "gnu"))]
mod tests {
    /// The heaps of further arenas are aligned to 64 MiB; the first one begins at the end of the
    /// program's data, where the system reports the heap.
    fn is_in_the_first_arena(address: usize) -> bool {
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
        maps.lines().filter(|line| line.ends_with("[heap]")).any(|line| {
            let (range, _) = line.split_once(' ').unwrap();
            let (start, end) = range.split_once('-').unwrap();
            let number = |text| usize::from_str_radix(text, 16).unwrap();
            (number(start)..number(end)).contains(&address)
        })
    }

    #[test]
    fn threads_share_the_first_arena() {
        super::share();
        let place = || Box::into_raw(Box::new([1u8; 100])) as usize;
        let other = std::thread::spawn(place).join().unwrap();
        assert!(is_in_the_first_arena(other));
    }
}
