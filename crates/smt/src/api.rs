//! The functions of Z3's C interface that are used here, found at run time.
//!
//! Nothing is linked: a machine without Z3 runs everything else. The declarations follow
//! `z3_api.h`, whose functions have kept their signatures since Z3 4.8.

use std::ffi::{c_char, c_int, c_uint, c_void};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use libloading::Library;

/// A pointer to one of Z3's objects.
pub type Raw = *mut c_void;
pub type Text = *const c_char;

/// Why Z3 cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum MissingSolver {
    /// There is no library that can be loaded.
    #[error(
        "programs need the SMT solver Z3, and its library was not found ({0}); install it, for \
         example by `apt-get install libz3-4 z3`, or name the file in ELINVAR_Z3"
    )]
    NotFound(String),
    /// The process cannot load libraries.
    #[error(
        "programs need the library of the SMT solver Z3, and this binary of elinvar is linked \
         statically, so that it cannot load libraries; use a binary that is not"
    )]
    Static,
}

/// Is the executable linked statically? Loading a library into one crashes.
static IS_STATIC: AtomicBool = AtomicBool::new(cfg!(target_feature = "crt-static"));

/// Declares that the executable is linked statically, so that Z3 cannot be loaded. Only the crate
/// of the executable knows that, if the option of the compiler is given for it alone.
pub fn declare_static() {
    IS_STATIC.store(true, Ordering::Relaxed);
}

macro_rules! api {
    ($($name:ident($($argument:ty),*) $(-> $result:ty)?;)*) => {
        #[allow(non_snake_case)]
        pub struct Api {
            $(pub $name: unsafe extern "C" fn($($argument),*) $(-> $result)?,)*
            // Last: the functions are gone when it is dropped.
            _library: Library,
        }

        impl Api {
            fn from(library: Library, file: &str) -> Result<Self, MissingSolver> {
                // SAFETY: the types are those of Z3's header.
                unsafe {
                    Ok(Api {
                        $($name: *library
                            .get(concat!(stringify!($name), "\0").as_bytes())
                            .map_err(|error| MissingSolver::NotFound(format!("{file}: {error}")))?,)*
                        _library: library,
                    })
                }
            }
        }
    };
}

api! {
    Z3_global_param_set(Text, Text);
    Z3_mk_config() -> Raw;
    Z3_del_config(Raw);
    Z3_mk_context_rc(Raw) -> Raw;
    Z3_del_context(Raw);
    Z3_set_error_handler(Raw, *const c_void);
    Z3_get_full_version() -> Text;
    Z3_interrupt(Raw);
    Z3_inc_ref(Raw, Raw);
    Z3_dec_ref(Raw, Raw);
    Z3_mk_int_symbol(Raw, c_int) -> Raw;
    Z3_mk_string_symbol(Raw, Text) -> Raw;
    Z3_get_symbol_string(Raw, Raw) -> Text;

    Z3_mk_bool_sort(Raw) -> Raw;
    Z3_mk_int_sort(Raw) -> Raw;
    Z3_mk_real_sort(Raw) -> Raw;
    Z3_mk_bv_sort(Raw, c_uint) -> Raw;
    Z3_mk_uninterpreted_sort(Raw, Raw) -> Raw;
    Z3_mk_array_sort(Raw, Raw, Raw) -> Raw;
    Z3_get_sort(Raw, Raw) -> Raw;
    Z3_get_bv_sort_size(Raw, Raw) -> c_uint;

    Z3_mk_const(Raw, Raw, Raw) -> Raw;
    Z3_mk_func_decl(Raw, Raw, c_uint, *const Raw, Raw) -> Raw;
    Z3_mk_app(Raw, Raw, c_uint, *const Raw) -> Raw;
    Z3_mk_true(Raw) -> Raw;
    Z3_mk_false(Raw) -> Raw;
    Z3_mk_numeral(Raw, Text, Raw) -> Raw;
    Z3_mk_eq(Raw, Raw, Raw) -> Raw;
    Z3_mk_not(Raw, Raw) -> Raw;
    Z3_mk_ite(Raw, Raw, Raw, Raw) -> Raw;
    Z3_mk_implies(Raw, Raw, Raw) -> Raw;
    Z3_mk_and(Raw, c_uint, *const Raw) -> Raw;
    Z3_mk_or(Raw, c_uint, *const Raw) -> Raw;
    Z3_mk_add(Raw, c_uint, *const Raw) -> Raw;
    Z3_mk_mul(Raw, c_uint, *const Raw) -> Raw;
    Z3_mk_div(Raw, Raw, Raw) -> Raw;
    Z3_mk_mod(Raw, Raw, Raw) -> Raw;
    Z3_mk_le(Raw, Raw, Raw) -> Raw;
    Z3_mk_lt(Raw, Raw, Raw) -> Raw;
    Z3_mk_int2real(Raw, Raw) -> Raw;
    Z3_mk_real2int(Raw, Raw) -> Raw;
    Z3_mk_select(Raw, Raw, Raw) -> Raw;
    Z3_mk_store(Raw, Raw, Raw, Raw) -> Raw;

    Z3_mk_bvnot(Raw, Raw) -> Raw;
    Z3_mk_bvneg(Raw, Raw) -> Raw;
    Z3_mk_bvredand(Raw, Raw) -> Raw;
    Z3_mk_bvand(Raw, Raw, Raw) -> Raw;
    Z3_mk_bvxor(Raw, Raw, Raw) -> Raw;
    Z3_mk_bvadd(Raw, Raw, Raw) -> Raw;
    Z3_mk_bvsub(Raw, Raw, Raw) -> Raw;
    Z3_mk_bvmul(Raw, Raw, Raw) -> Raw;
    Z3_mk_bvudiv(Raw, Raw, Raw) -> Raw;
    Z3_mk_bvurem(Raw, Raw, Raw) -> Raw;
    Z3_mk_bvsdiv(Raw, Raw, Raw) -> Raw;
    Z3_mk_bvsrem(Raw, Raw, Raw) -> Raw;
    Z3_mk_bvsmod(Raw, Raw, Raw) -> Raw;
    Z3_mk_bvult(Raw, Raw, Raw) -> Raw;
    Z3_mk_bvslt(Raw, Raw, Raw) -> Raw;
    Z3_mk_bvshl(Raw, Raw, Raw) -> Raw;
    Z3_mk_bvlshr(Raw, Raw, Raw) -> Raw;
    Z3_mk_bvashr(Raw, Raw, Raw) -> Raw;
    Z3_mk_ext_rotate_left(Raw, Raw, Raw) -> Raw;
    Z3_mk_ext_rotate_right(Raw, Raw, Raw) -> Raw;
    Z3_mk_concat(Raw, Raw, Raw) -> Raw;
    Z3_mk_extract(Raw, c_uint, c_uint, Raw) -> Raw;
    Z3_mk_zero_ext(Raw, c_uint, Raw) -> Raw;
    Z3_mk_sign_ext(Raw, c_uint, Raw) -> Raw;

    Z3_mk_params(Raw) -> Raw;
    Z3_params_inc_ref(Raw, Raw);
    Z3_params_dec_ref(Raw, Raw);
    Z3_params_set_bool(Raw, Raw, Raw, bool);
    Z3_solver_set_params(Raw, Raw, Raw);
    Z3_mk_simple_solver(Raw) -> Raw;
    Z3_mk_solver(Raw) -> Raw;
    Z3_solver_inc_ref(Raw, Raw);
    Z3_solver_dec_ref(Raw, Raw);
    Z3_solver_assert(Raw, Raw, Raw);
    Z3_solver_check_assumptions(Raw, Raw, c_uint, *const Raw) -> c_int;
    Z3_solver_get_model(Raw, Raw) -> Raw;
    Z3_solver_get_unsat_core(Raw, Raw) -> Raw;
    Z3_solver_get_reason_unknown(Raw, Raw) -> Text;

    Z3_ast_vector_inc_ref(Raw, Raw);
    Z3_ast_vector_dec_ref(Raw, Raw);
    Z3_ast_vector_size(Raw, Raw) -> c_uint;
    Z3_ast_vector_get(Raw, Raw, c_uint) -> Raw;

    Z3_model_inc_ref(Raw, Raw);
    Z3_model_dec_ref(Raw, Raw);
    Z3_model_eval(Raw, Raw, Raw, bool, *mut Raw) -> bool;
    Z3_model_get_num_funcs(Raw, Raw) -> c_uint;
    Z3_model_get_func_decl(Raw, Raw, c_uint) -> Raw;
    Z3_model_get_func_interp(Raw, Raw, Raw) -> Raw;
    Z3_func_interp_inc_ref(Raw, Raw);
    Z3_func_interp_dec_ref(Raw, Raw);
    Z3_func_interp_get_num_entries(Raw, Raw) -> c_uint;
    Z3_func_interp_get_entry(Raw, Raw, c_uint) -> Raw;
    Z3_func_interp_get_else(Raw, Raw) -> Raw;
    Z3_func_entry_inc_ref(Raw, Raw);
    Z3_func_entry_dec_ref(Raw, Raw);
    Z3_func_entry_get_value(Raw, Raw) -> Raw;
    Z3_func_entry_get_arg(Raw, Raw, c_uint) -> Raw;

    Z3_get_ast_kind(Raw, Raw) -> c_int;
    Z3_get_bool_value(Raw, Raw) -> c_int;
    Z3_get_numeral_string(Raw, Raw) -> Text;
    Z3_get_app_decl(Raw, Raw) -> Raw;
    Z3_get_app_arg(Raw, Raw, c_uint) -> Raw;
    Z3_get_decl_kind(Raw, Raw) -> c_int;
    Z3_get_decl_name(Raw, Raw) -> Raw;
    Z3_is_as_array(Raw, Raw) -> bool;
    Z3_get_as_array_func_decl(Raw, Raw) -> Raw;
}

/// Values of `Z3_decl_kind` and `Z3_ast_kind`.
pub const OP_STORE: c_int = 0x300;
pub const OP_CONST_ARRAY: c_int = 0x302;
pub const NUMERAL_AST: c_int = 0;
pub const APP_AST: c_int = 1;

/// The library, loaded once.
pub fn api() -> Result<&'static Api, MissingSolver> {
    static API: OnceLock<Result<Api, MissingSolver>> = OnceLock::new();
    API.get_or_init(load).as_ref().map_err(Clone::clone)
}

fn load() -> Result<Api, MissingSolver> {
    if IS_STATIC.load(Ordering::Relaxed) {
        return Err(MissingSolver::Static);
    }
    let chosen = std::env::var("ELINVAR_Z3").ok();
    let names: Vec<&str> = match &chosen {
        Some(name) => vec![name],
        None => vec!["libz3.so.4", "libz3.so", "libz3.dylib"],
    };
    let mut first_error = None;
    for name in names {
        // SAFETY: Z3's initialisers only set up its own memory.
        match unsafe { Library::new(name) } {
            Ok(library) => return Api::from(library, name),
            Err(error) => {
                first_error.get_or_insert(error.to_string());
            }
        }
    }
    Err(MissingSolver::NotFound(first_error.unwrap_or_default()))
}
