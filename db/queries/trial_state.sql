SELECT state FROM trial WHERE id = ?1;
