dnl SPDX-License-Identifier: MIT
dnl PERFREP_CC_FLAGS(VARIABLE, FLAGS): those of FLAGS that the compiler knows, in VARIABLE.
AC_DEFUN([PERFREP_CC_FLAGS], [
	perfrep_known=
	perfrep_saved=$CFLAGS
	for perfrep_flag in $2; do
		AC_MSG_CHECKING([whether $CC takes $perfrep_flag])
		CFLAGS="$perfrep_saved -Werror $perfrep_flag"
		AC_COMPILE_IFELSE([AC_LANG_PROGRAM()], [
			AC_MSG_RESULT([yes])
			perfrep_known="$perfrep_known $perfrep_flag"
		], [AC_MSG_RESULT([no])])
	done
	CFLAGS=$perfrep_saved
	$1=$perfrep_known
	AC_SUBST([$1])
])
